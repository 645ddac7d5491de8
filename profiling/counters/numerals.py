"""Reads numbers as a tool printed them in its user's locale: which mark is decimal is decided per file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

# What parts groups of digits and never starts a fraction: spaces of four kinds, Switzerland's apostrophes.
_GROUP_ONLY = " \u00a0\u2009\u202f'\u2019"
_NUMBER = re.compile(rf"-?\d+(?:[.,{_GROUP_ONLY}]\d+)*(?:[eE][+-]?\d{{1,3}})?")
_INSTANCES = re.compile(r"\s*[({].*$", re.DOTALL)  # "12 (3; 4; 5)": what --print-metric-instances appends
_MARK, _DIGIT = re.compile(r"\D"), re.compile(r"\d")
_ABSENT = frozenset({"", "n/a", "na", "nan", "-nan", "inf", "-inf", "null", "none", "no data", "-"})

ABSENT = "absent"
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Token:
    """A number in digits: `groups` are the digits between the marks, `marks` the characters between them."""

    text: str
    negative: bool
    groups: tuple[str, ...]
    marks: str
    exponent: int

    def grouped(self, mark: str, end: int | None = None) -> bool:
        """Whether `mark` parts the digits up to group `end` into thousands (or into India's lakhs)."""
        groups = self.groups[:end]
        return (
            len(groups[-1]) == 3
            and 1 <= len(groups[0]) <= 3
            and groups[0][0] != "0"
            and set(self.marks[: len(groups) - 1]) == {mark}
            and all(len(group) in (2, 3) for group in groups[1:-1])
        )

    @property
    def doubtful(self) -> bool:
        """Whether it is 1234 or 1.234, for all one can see: "1,234" and "1.234"."""
        return len(self.marks) == 1 and self.marks in ".," and self.grouped(self.marks) and not self.exponent

    def digits(self, fraction: int) -> Decimal:
        """The value if the last `fraction` groups (0 or 1) stand after the decimal mark."""
        whole = "".join(self.groups[: len(self.groups) - fraction])
        part = self.groups[-1] if fraction else ""
        number = Decimal(f"{whole}.{part or '0'}").scaleb(self.exponent)
        return -number if self.negative else number

    def plain(self) -> Decimal | None:
        """The value where no locale is needed to tell it, None where it is doubtful or no number at all."""
        if not self.marks:
            return self.digits(0)
        if self.doubtful:
            return None
        last, before = self.marks[-1], self.marks[:-1]
        if not before:
            if last in _GROUP_ONLY:
                return self.digits(0) if self.grouped(last) else None
            return self.digits(1)
        if last == before[0]:
            return self.digits(0) if self.grouped(last) else None
        return self.digits(1) if last in ".," and self.grouped(before[0], len(self.groups) - 1) else None


def token(text: str) -> Token | str:
    """`text` in digits; ABSENT for what tools print instead of a value, UNREADABLE for what is neither."""
    text = text.strip()
    bare = _INSTANCES.sub("", text) if text[:1] in "-0123456789" else text
    if not _NUMBER.fullmatch(bare):
        return ABSENT if bare.lower().removeprefix("(!)").strip() in _ABSENT else UNREADABLE
    mantissa, _, exponent = bare.lower().partition("e")
    digits = mantissa.lstrip("-")
    groups = tuple(_MARK.split(digits))
    return Token(bare, mantissa[0] == "-", groups, _DIGIT.sub("", digits), int(exponent or 0))


@dataclass
class Marks:
    """What the numbers of one file tell of its locale: show it all of them with `see`, then ask for values.

    Nsight Compute prints most numbers in the user's locale, but those that it has scaled to another unit (and
    on the raw page all that have a unit) the way C does, with a dot; so a dot in such a number says nothing.
    """

    decimal: set[str] = field(default_factory=set)
    group: set[str] = field(default_factory=set)

    def see(self, number: Token, *, of_c: bool) -> None:
        """Learns from one number; `of_c` where the tool may have printed it the way C does."""
        if not number.marks or (of_c and number.marks == ".") or number.plain() is None:
            return
        if len(set(number.marks)) == 2:
            self.decimal.add(number.marks[-1])
            self.group.add(number.marks[0])
        elif len(number.marks) > 1 or number.marks in _GROUP_ONLY:
            self.group.add(number.marks[0])
        else:
            self.decimal.add(number.marks)

    def value(self, number: Token) -> Decimal | None:
        """The number, None where this file does not tell whether its mark is decimal."""
        if not number.doubtful:
            return number.plain()
        mark, other = number.marks, "," if number.marks == "." else "."
        groups = mark in self.group or other in self.decimal
        fraction = mark in self.decimal or other in self.group
        if groups == fraction:
            return None
        return number.digits(0 if groups else 1)
