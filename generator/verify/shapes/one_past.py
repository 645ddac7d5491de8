"""The shape whose axes are all one more than several tiles of 16, 32 and 64, with next to nothing along those
that are short at full size: who takes a tile for one within them by one too many reads or leaves out the last
element, and other sizes than these hide it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....profiling.op import Op, OpError
from ....profiling.shapes import NETWORK_CALLS, ShapeSet
from .longest import CALLS, is_axis, is_loop
from .sizing import free_sizes, sizes_of

ONE_PAST = "one past tiles"

_LENGTHS, _TILE = (65, 33), 16
"""One more than a multiple of the tile that most go by, and than one of half of it."""

_FEW = 2
"""Elements along other axes: of one there is no next."""

_TIMES = 4
"""The bytes of the small shape, at most."""


def one_past(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """All sizes that are longer than a tile at full size, or else the two largest of them, or one; beside
    `sets`, the small one first. None of a network, nor where a call of the reference takes a second."""
    whole = op.footprint()
    if (whole.state and whole.work >= NETWORK_CALLS) or len(whole.calls) > CALLS:
        return []
    full = sizes_of(op.constants)
    names = [
        name for name in free_sizes(op) if any(name in one.overrides for one in sets) or is_axis(op, name)
    ]
    long = [name for name in names if full.get(name, 0) > _TILE and not is_loop(op, name)]
    long.sort(key=lambda name: -full[name])
    few = {name: min(_FEW, full[name]) for name in names if name not in long}
    for sizes in _tried(long):
        if any(_has(op, one.overrides, sizes) for one in sets):
            return []
        for others in ({**sets[0].overrides, **few}, sets[0].overrides):
            found = {**others, **sizes}
            with contextlib.suppress(OpError):
                size = op.with_overrides(found).footprint().total_bytes
                if size <= _TIMES * sets[0].total_bytes and op.is_sound(found):
                    return [ShapeSet(ONE_PAST, found, size, True, "one more than tiles along each axis")]
    return []


def _tried(names: Sequence[str]) -> Iterator[dict[str, int]]:
    """Of one length all of them, then of the other, then fewer."""
    for count in sorted({len(names), min(2, len(names)), min(1, len(names))} - {0}, reverse=True):
        for length in _LENGTHS:
            yield dict.fromkeys(names[:count], length)


def _has(op: Op, overrides: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
    return all(overrides.get(name, op.constants[name]) == size for name, size in sizes.items())
