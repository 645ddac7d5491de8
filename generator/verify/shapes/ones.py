"""The shape with one element along every axis that may have one: there a launch's sizes and strides are all
one, which a compiler makes constants of."""

from __future__ import annotations

from ....profiling.op import Op
from ....profiling.shapes import NETWORK_CALLS, ShapeSet
from .longest import CALLS, is_axis
from .sizing import free_sizes
from .whole_tiles import bytes_of

ONES = "one of each"


def ones(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """The sizes of the small shape, each made one as long as the reference still tells its inputs apart. None
    of a network, nor where a call of the reference takes a second."""
    whole = op.footprint()
    if (whole.state and whole.work >= NETWORK_CALLS) or len(whole.calls) > CALLS:
        return []
    names = [
        name for name in free_sizes(op) if any(name in one.overrides for one in sets) or is_axis(op, name)
    ]
    found = {**sets[0].overrides, **dict.fromkeys(names, 1)}
    if not op.is_sound(found):
        found = dict(sets[0].overrides)
        for name in names:
            alone = {**found, name: 1}
            found = alone if op.is_sound(alone) else found
    size = bytes_of(op, found) if any(found.get(name) == 1 for name in names) else None
    return [] if size is None else [ShapeSet(ONES, found, size, True, "one along each axis")]
