"""Triton source of one expression, with only the parentheses that its operators need."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..dtypes import FLOATS, TRITON
from ..math import FUNCTIONS

ATOM, POWER, UNARY, PRODUCT, SUM, BITS, COMPARE = 100, 90, 80, 70, 60, 50, 40
_BINARY = {
    **dict.fromkeys(("*", "/", "//", "%"), PRODUCT),
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("&", "|", "^"), BITS),
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), COMPARE),
}
_TEMPLATE = re.compile(r"^\{0\} (\S+) \{1\}$|^\{0\} (\S+) (\S+)$")


@dataclass(frozen=True)
class Text:
    """Source and how tightly it binds."""

    source: str
    binds: int = ATOM

    def inside(self, binds: int) -> str:
        return self.source if self.binds >= binds else f"({self.source})"


def index_text(source: str) -> Text:
    """Source of an index or a size, which is made of sums, products and whole quotients."""
    operators = set(re.findall(r" (\+|-|\*|//|%) ", source))
    return Text(source, SUM if operators & {"+", "-"} else PRODUCT if operators else ATOM)


def repeats(function: str, position: int) -> bool:
    """Whether the template writes an argument more than once, so that it must be a name."""
    return FUNCTIONS[function].template.count(f"{{{position}}}") > 1


def call(function: str, args: list[Text], dtype: str) -> Text:
    template = FUNCTIONS[function].template
    match = _TEMPLATE.match(template)
    if match and match[1]:
        binds = _BINARY[match[1]]
        apart = match[1] in ("-", "/", "//", "%") or binds <= BITS or dtype in FLOATS
        right = args[1].inside(binds + apart)
        return Text(f"{args[0].inside(binds + (binds <= BITS))} {match[1]} {right}", binds)
    if template in ("-{0}", "~{0}"):
        return Text(template[0] + args[0].inside(UNARY + 1), UNARY)
    if function == "cast":
        return Text(f"{args[0].inside(ATOM)}.to({TRITON[dtype]})")
    if match:
        return Text(template.format(args[0].inside(COMPARE + 1)), _BINARY[match[2]])
    filled = [a.inside(COMPARE + 1) if repeats(function, i) else a.source for i, a in enumerate(args)]
    return Text(template.format(*filled))


def joined(terms: list[str]) -> str:
    """A sum of index terms, those that are subtracted last; 0 when there are none."""
    added = [t for t in terms if not t.startswith("-")]
    less = [t for t in terms if t.startswith("-")]
    if not added:
        return " + ".join(less) or "0"
    return " + ".join(added) + "".join(f" - {t[1:]}" for t in less)


def term(name: str, coefficient: str) -> str:
    """`name * coefficient` without a needless factor 1, a minus before it."""
    if coefficient in ("1", "-1"):
        return f"{coefficient[:-1]}{name}"
    if coefficient.startswith("-"):
        return f"-{term(name, coefficient[1:])}"
    plain = not re.search(r" (\+|-|//|%) ", coefficient)
    return f"{name} * {coefficient}" if plain else f"{name} * ({coefficient})"
