"""Finds sizes that an interpreter can run and that are whole tiles wherever those of full size are.

Kernels drop their masks where `columns % BLOCK == 0`, and full size is often the only one to give that. Such
a condition cannot be forced on sizes for which it does not hold; it has to hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from ....profiling.constructors import divides
from ....profiling.op import Op
from ....profiling.source import Literal

LARGEST_TILE = 256
"""Elements of a tile along one axis, beyond which hardly any kernel goes."""

_WIDTHS_KEPT = 2
"""What divides the widths of a network that are cut down, so that its narrow rows are whole vectors still."""

_TRIES = 80
"""Sets of sizes to measure, at some milliseconds each."""


def whole_tiles(op: Op, small: Mapping[str, Literal], budget: int) -> dict[str, Literal] | None:
    """Overrides for each constant that `small` cuts down: a multiple of the largest power of two in its full
    value, halved where `budget` bytes ask for it, which saves most first. None where no such sizes are found,
    or `small` has them."""
    least = {name: value for name, value in small.items() if isinstance(value, int) and value > 1}
    sizes = {name: _rounded_up(value, _tile(op.constants[name])) for name, value in least.items()}
    for name in filter(divides, least):  # widths that are multiples of eight: so they are multiples of four
        sizes[name] = min(least[name], _WIDTHS_KEPT)
    tries = iter(range(_TRIES))
    taken = bytes_of(op, {**small, **sizes})
    while taken is not None and taken > budget:
        halved = {
            name: {**sizes, name: value * 2 if divides(name) else value // 2}
            for name, value in sizes.items()
            if _may_shrink(name, value, least) and next(tries, None) is not None
        }
        measured = {name: bytes_of(op, {**small, **choice}) for name, choice in halved.items()}
        fewer = {name: found for name, found in measured.items() if found is not None and found < taken}
        if not fewer:
            return None
        best = min(fewer, key=lambda name: fewer[name])
        sizes, taken = halved[best], fewer[best]
    return None if taken is None or sizes == least else {**small, **sizes}


def _may_shrink(name: str, value: int, least: Mapping[str, int]) -> bool:
    return value < least[name] if divides(name) else value % 2 == 0 and value > 2


def _tile(size: Literal) -> int:
    return min(size & -size, LARGEST_TILE) if isinstance(size, int) else 1


def _rounded_up(size: int, tile: int) -> int:
    return -(-size // tile) * tile


def bytes_of(op: Op, overrides: Mapping[str, Literal]) -> int | None:
    """Inputs, outputs and temporaries at these sizes; None where the op has no such sizes."""
    return op.bytes_at(overrides)
