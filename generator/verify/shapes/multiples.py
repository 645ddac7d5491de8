"""Shapes whose sizes are odd multiples of what a candidate divides sizes by: `K % 16 == 0` then holds, and no
tile of 32 is full."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import product

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import free_sizes, sizes_of

MULTIPLES = "multiples of "
"""What their names begin with."""

_TIMES = ((5, 3), (3, 3), (3, 1), (1, 1))
"""A modulus that the largest axis is, and others: the first of them for which there is room."""

_SHORTEST = 8
"""At full size: fewer elements are channels of a picture, or heads."""


def multiples(op: Op, sets: list[ShapeSet], most_bytes: int, moduli: Sequence[int]) -> list[ShapeSet]:
    """For each of the `moduli`, sizes of the op that are odd multiples of it: all of them, or as many of the
    largest as it takes at once; the others as small as the first of `sets`."""
    full, small = sizes_of(op.constants), sets[0].overrides
    names = sorted((name for name in free_sizes(op) if full[name] >= _SHORTEST), key=lambda one: -full[one])
    found: list[ShapeSet] = []
    for modulus in moduli:
        for few, times in product(_fewer(names), _TIMES):
            sizes = {name: times[turn > 0] * modulus for turn, name in enumerate(few)}
            with contextlib.suppress(OpError):
                overrides = {**small, **sizes}
                size = op.with_overrides(overrides).footprint().total_bytes
                if size <= most_bytes and op.is_sound(overrides) and not op.holds_by_chance(overrides):
                    called = f"{MULTIPLES}{modulus}"
                    found.append(ShapeSet(called, overrides, size, True, called))
                    break
    return found


def _fewer(names: list[str]) -> Iterator[list[str]]:
    """All of them, all but one, and so on; then single ones."""
    yield from (names[:count] for count in range(len(names), 1, -1))
    yield from ([name] for name in names)
