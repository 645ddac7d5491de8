"""Shapes with an axis of bytes that results do not have three times as long as at full size, and next to
nothing along all others: sums of such numbers are largest there, and pass what float32 counts to."""

from __future__ import annotations

import contextlib

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from ..inputs.integers import is_whole
from .longest import is_axis, is_loop, made_along
from .sizing import free_sizes, sizes_of

BYTES = "bytes three times along "
"""What their names begin with."""

_SHORTEST, _LONGEST = 8, 1024
"""Sizes at full size: of fewer no sum is large, and products of more pass 2^24 at twice as many."""


def thrice(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """For the longest such size of an op of whole numbers alone, bytes among them; none where there is none,
    or it is the steps of a loop."""
    full = sizes_of(op.constants)
    names = [name for name in free_sizes(op) if _SHORTEST <= full.get(name, 0) <= _LONGEST]
    if not names or not _is_of_bytes(op, sets[0]):
        return []
    for name in sorted(names, key=lambda one: -full[one]):
        lengths = (3 * full[name] - 1, 3 * full[name])
        shapes = any(name in one.overrides for one in sets) or is_axis(op, name)
        if shapes and _is_summed(op, name, lengths[-1]) and not is_loop(op, name):
            return made_along(op, f"{BYTES}{name}", name, lengths, sets, most_bytes)
    return []


def _is_of_bytes(op: Op, small: ShapeSet) -> bool:
    with contextlib.suppress(OpError):
        _, inputs = op.with_overrides(small.overrides).instantiate(0)
        whole = [one for one in inputs if is_whole(one)]
        return len(whole) == len(inputs) > 0 and min(one.itemsize for one in whole) == 1
    return False


def _is_summed(op: Op, name: str, length: int) -> bool:
    """Whether results are as long as before."""
    with contextlib.suppress(OpError):
        return op.with_overrides({name: length}).footprint().outputs == op.footprint().outputs
    return False
