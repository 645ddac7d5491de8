"""Shapes whose axes are all one more than several tiles of 16, 32 and 64, or tiles exactly, with little along
those that are short at full size: who takes a tile for one within them by one too many reads or leaves
out the last element, who looks for a remainder finds none, and other sizes than these hide it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .longest import CALLS, is_axis, is_loop
from .sizing import free_sizes, sizes_of

ONE_PAST, EXACTLY, RESULTS_EXACTLY = "one past tiles", "tiles exactly", "tiles of results exactly"

_LENGTHS, _TILE = (65, 33), 16
"""One more than a multiple of the tile that most go by, and than one of half of it."""

_WHOLE, _LONGEST = (128, 64), 1024
"""A multiple of most tiles; and the longest that one is asked for."""

_FEW = 2
"""Elements along other axes: of one there is no next."""

_TIMES, _LITTLE = 4, 64 << 10
"""The bytes of the small shape, at most; and what is little, however small that one is."""


def one_past(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """All sizes that are longer than a tile at full size, or else the two largest of them, or one; beside
    `sets`, the small one first. None of a network, nor where a call of the reference takes a second."""
    return _made(op, sets, ONE_PAST, _LENGTHS)


def exactly(op: Op, sets: list[ShapeSet], tile: int) -> list[ShapeSet]:
    """Likewise, as long as the longest `tile` that a candidate names, or else as most go by."""
    longest = (min(tile, _LONGEST),) if tile > _WHOLE[0] else ()
    made = (_made(op, sets, EXACTLY, (length,)) for length in (*longest, *_WHOLE))
    return next((one for one in made if one), [])


def results_exactly(op: Op, made: list[ShapeSet]) -> list[ShapeSet]:
    """What is `made` with tiles exactly along what comes out instead, where a window leaves less of an axis:
    who goes by the tiles of results leaves out the rest of what goes in."""
    for one in made:
        footprint = op.with_overrides(one.overrides).footprint()
        longer = {
            name: size + less
            for name, size in sizes_of(one.overrides).items()
            if (less := _left_out(op, one.overrides, name, size, footprint.outputs))
        }
        found = {**one.overrides, **longer}
        size = op.bytes_at(found) if longer else None
        if size is not None and op.is_sound(found):
            return [ShapeSet(RESULTS_EXACTLY, found, size, True, RESULTS_EXACTLY)]
    return []


def _left_out(
    op: Op, sizes: Mapping[str, Any], name: str, size: int, usual: tuple[tuple[int, ...], ...]
) -> int:
    """By how much less of an axis comes out than goes in, where it grows as the size does."""
    with contextlib.suppress(OpError):
        longer = op.with_overrides({**sizes, name: size + 1}).footprint().outputs
        pairs = [pair for was, now in zip(usual, longer, strict=True) for pair in zip(was, now, strict=False)]
        grown = {was for was, now in pairs if now == was + 1}
        return max((size - was for was in grown if size // 2 <= was < size), default=0)
    return 0


def _made(op: Op, sets: list[ShapeSet], called: str, lengths: tuple[int, ...]) -> list[ShapeSet]:
    whole = op.footprint()
    if (whole.state and whole.is_network) or len(whole.calls) > CALLS:
        return []
    full = sizes_of(op.constants)
    names = [
        name for name in free_sizes(op) if any(name in one.overrides for one in sets) or is_axis(op, name)
    ]
    long = [name for name in names if full.get(name, 0) > _TILE and not is_loop(op, name)]
    long.sort(key=lambda name: -full[name])
    few = {name: min(_FEW, full[name]) for name in names if name not in long}
    for sizes in _tried(long, lengths):
        if any(_has(op, one.overrides, sizes) for one in sets):
            return []
        for others in ({**sets[0].overrides, **few}, sets[0].overrides):
            found = {**others, **sizes}
            with contextlib.suppress(OpError):
                size = op.with_overrides(found).footprint().total_bytes
                if size <= max(_LITTLE, _TIMES * sets[0].total_bytes) and op.is_sound(found):
                    return [ShapeSet(called, found, size, True, f"{called} along each axis")]
    return []


def _tried(names: Sequence[str], lengths: tuple[int, ...]) -> Iterator[dict[str, int]]:
    """Of one length all of them, then of the other, then fewer."""
    for count in sorted({len(names), min(2, len(names)), min(1, len(names))} - {0}, reverse=True):
        for length in lengths:
            yield dict.fromkeys(names[:count], length)


def _has(op: Op, overrides: Mapping[str, Any], sizes: Mapping[str, int]) -> bool:
    return all(overrides.get(name, op.constants[name]) == size for name, size in sizes.items())
