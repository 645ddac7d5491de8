"""Writes numbers as people read them: sizes, times, ratios, access widths, places in a document."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

NONE = "-"
_WORKS = re.compile(r"\b((?!gpu_kernel_impl)\w*(?:Functor\w*|kernel_(?:cuda|impl)\w*|[a-z]Ops))\b")
STATIC_HEADER = ("registers", "spills", "shared", "loads", "stores", "warps", "occupancy", "waves")


def number(value: Any) -> str:
    """Three significant digits for a float, separators for a large integer, yes or no for a bool."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def size(count: float | None) -> str:
    """Bytes in binary units: `4.0 KiB`, `2.1 GiB`."""
    if count is None:
        return NONE
    amount, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.0f} {units[0]}" if units[0] == "B" else f"{amount:.1f} {units[0]}"


def microseconds(value: float | None) -> str:
    """A time given in microseconds, in the unit that keeps it short."""
    if value is None or not math.isfinite(value):
        return NONE
    if value >= 1e6:
        return f"{value / 1e6:.2f} s"
    return f"{value:.1f} us" if value < 1000 else f"{value / 1000:.2f} ms"


def ratio(value: float | None) -> str:
    """`1.85x`, two decimals."""
    return NONE if value is None or not math.isfinite(value) else f"{value:.2f}x"


def percent(fraction: float | None) -> str:
    """`0.75` as `75 %`."""
    return NONE if fraction is None else f"{fraction:.0%}".replace("%", " %")


def change(before: str, after: str) -> str:
    """`a -> b`, or what stayed."""
    return before if before == after else f"{before} -> {after}"


def moved(figure: Mapping[str, Any]) -> str:
    """`registers 40 -> 48 a thread`."""
    values = " -> ".join(number(figure[side]) for side in ("before", "after"))
    return f"{figure['name']} {values} {figure['unit']}".rstrip()


def widths(counts: Mapping[Any, int] | None) -> str:
    """Instructions per access width, widest first: `8 x 128 bit, 1 x 32 bit`."""
    if not counts:
        return NONE
    ordered = sorted(counts.items(), key=lambda pair: -int(pair[0]))
    return ", ".join(f"{count} x {bits} bit" for bits, count in ordered)


def kernel(name: str, most: int = 60) -> str:
    """A kernel's name without parameters, at most `most` long. Of its template arguments only what
    gives a generic kernel its work is kept: `elementwise_kernel<MulFunctor>`."""
    bare = name.removeprefix("void ").replace("(anonymous namespace)::", "")
    shown, depth = "", 0
    for letter in bare:
        if letter == "(" and depth == 0 and shown:
            break
        shown += letter if depth == 0 else ""
        depth += (letter == "<") - (letter == ">" and depth > 0)
        shown += "...>" if letter == ">" and depth == 0 and shown.endswith("<") else ""
    works = _WORKS.findall(bare.partition("<")[2])
    if works:
        shown = f"{bare.partition('<')[0]}<{works[-1]}>"
    shown = " ".join(shown.split()) or name
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


def place(citation: Mapping[str, Any] | None) -> str:
    """Where a passage stands: title, section and version, as far as they are known."""
    if not citation:
        return NONE
    title = str(citation.get("title") or citation.get("source") or NONE)
    path = str(citation.get("section") or "").removeprefix(title).removeprefix(" > ")
    section = f", {path}" if path else ""
    version = f" ({citation['version']})" if citation.get("version") else ""
    return f"{title}{section}{version}"


def columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys of all rows in the order they first appear, without those that are empty in every row."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if any(row.get(name) not in (None, "", [], {}) for row in rows)]


def cell(value: Any) -> str:
    """One value of a free-form table: lists joined, mappings as `name value`, the rest as a number."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {cell(item)}" for name, item in value.items()) or NONE
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return ", ".join(cell(item) for item in items) or NONE
    return number(value)


def static_row(static: Mapping[str, Any]) -> list[str]:
    """One compiled kernel's cells under STATIC_HEADER; the occupancy names what limits it."""
    occupancy = static.get("occupancy") or {}
    limiter = f" ({occupancy['limiter']})" if occupancy.get("limiter") else ""
    return [
        number(static.get("registers")),
        size(static.get("spill_bytes")),
        size(static.get("shared_bytes")),
        widths(static.get("load_bits")),
        widths(static.get("store_bits")),
        number(static.get("num_warps")),
        percent(occupancy.get("fraction")) + limiter,
        number(static.get("waves")),
    ]
