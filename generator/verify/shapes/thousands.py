"""Shapes with one axis beyond a thousand, where full size has hundreds or fewer, and next to nothing along
all others: what a tile made for hundreds does not hold is left out there."""

from __future__ import annotations

from ....profiling.op import Op
from ....profiling.shapes import NETWORK_CALLS, ShapeSet
from .longest import CALLS, is_axis, is_loop, made_along
from .sizing import free_sizes, sizes_of

THOUSAND = "a thousand of "
"""What their names begin with."""

_LENGTHS, _THOUSAND = (1011, 1006, 1008, 1024), 1000
"""The first that an op takes: a product of either of the first two with its reciprocal in float32 is less
than one."""

_SHORTEST, _LONGEST = 5, 1024
"""Sizes at full size: fewer elements are parts of a whole, and of more nobody takes all for a tile."""

_AXES = 5
"""How many are made so long."""


def thousands(op: Op, sets: list[ShapeSet], most_bytes: int) -> list[ShapeSet]:
    """For each size of the op that none of `sets`, the small one first, has beyond a thousand, but for the
    steps of a loop. None of a network, nor where a call of the reference takes a second."""
    whole = op.footprint()
    if (whole.state and whole.work >= NETWORK_CALLS) or len(whole.calls) > CALLS:
        return []
    full, found = sizes_of(op.constants), list[ShapeSet]()
    short = [name for name in free_sizes(op) if _SHORTEST <= full.get(name, 0) <= _LONGEST]
    for name in sorted(short, key=lambda one: -full[one]):
        judged = max(int(one.overrides.get(name, full[name])) for one in sets)  # type: ignore[arg-type]
        if judged > _THOUSAND or len(found) == _AXES or is_loop(op, name):
            continue
        if any(name in one.overrides for one in sets) or is_axis(op, name):
            lengths = (*_LENGTHS, -(-_THOUSAND // full[name]) * full[name])
            found += made_along(op, f"{THOUSAND}{name}", name, lengths, sets, most_bytes)
    return found
