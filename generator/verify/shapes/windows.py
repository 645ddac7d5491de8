"""Finds lengths whose windows, reckoned in float32 instead of whole numbers, begin or end one place off."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice, permutations

import numpy as np

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ....profiling.source import Literal
from .sizing import free_sizes, sizes_of

WINDOWS = "uneven windows"

_ADAPTIVE = "adaptive_"

_PAIRS = ((175, 75), (84, 70))
"""Of an axis and of its windows: whichever way float32 is asked for the borders, some come out wrong."""

_TIMES = 8
"""As many elements as a window has at most, where the op itself says how many windows there are."""


def windows(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """Such lengths of one axis, for an op that pools into a given number of windows: the i-th of M over N
    places is from floor(i*N/M) to ceil((i+1)*N/M), which a quotient in float32 misses at one size in thirty.
    """
    if not _pooled(op):
        return []
    for overrides, length, count in _choices(op, sets[0]):
        with contextlib.suppress(OpError):
            made = op.with_overrides(overrides)
            size = made.footprint().total_bytes
            if (length, count) in _pooled(made) and size <= most_bytes and op.is_sound(overrides):
                return [ShapeSet(WINDOWS, overrides, size, True, f"{count} windows over {length}")]
    return []


def _choices(op: Op, small: ShapeSet) -> Iterator[tuple[dict[str, Literal], int, int]]:
    full = sizes_of(op.constants)
    names = free_sizes(op)
    for length, count in _PAIRS:
        for long, few in permutations(names, 2):
            if length <= full[long] and count <= full[few]:
                yield {**small.overrides, long: length, few: count}, length, count
    for count in sorted({count for _, count in _pooled(op)}):
        missed = (length for length in range(count + 1, _TIMES * count) if is_missed(length, count))
        for length in islice(missed, 1):
            yield from (({**small.overrides, long: length}, length, count) for long in names)


def _pooled(op: Op) -> set[tuple[int, int]]:
    """The lengths of axes that are pooled so, and how many windows there are."""
    calls = [call for call in op.footprint().calls if _ADAPTIVE in call.name and call.results]
    return {
        sides
        for call in calls
        for sides in zip(call.arguments[0], call.results[0], strict=False)
        if sides[0] > sides[1]
    }


def is_missed(length: int, count: int) -> bool:
    """Whether a place times the quotient in float32, rounded down or up, is another than in whole numbers."""
    place, scale = np.arange(count + 1, dtype=np.int64), np.float32(length) / np.float32(count)
    reckoned = place.astype(np.float32) * scale
    begins = np.floor(reckoned[:-1]).astype(np.int64) != place[:-1] * length // count
    ends = np.minimum(np.ceil(reckoned[1:]).astype(np.int64), length) != -(-place[1:] * length // count)
    return bool((begins | ends).any())
