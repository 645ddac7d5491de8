"""The shape with one element along every axis that may have one: there a launch's sizes and strides are all
one, which a compiler makes constants of."""

from __future__ import annotations

from ....profiling.op import Op
from ....profiling.shapes import ShapeSet
from .longest import CALLS, is_axis
from .sizing import free_sizes
from .whole_tiles import bytes_of

ONES, ALONE = "one of each", "one of "
"""The first, and what names begin with of those with one along an axis alone, where all leave nothing."""


def ones(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """The sizes of the small shape, each made one as long as the reference still gives numbers, and alone
    those that are not one then. None of a network, nor where a call of the reference takes a second."""
    whole = op.footprint()
    if (whole.state and whole.is_network) or len(whole.calls) > CALLS:
        return []
    names = [
        name for name in free_sizes(op) if any(name in one.overrides for one in sets) or is_axis(op, name)
    ]
    found = {**sets[0].overrides, **dict.fromkeys(names, 1)}
    if not op.is_sound(found):
        found = dict(sets[0].overrides)
        for name in names:
            fewer = {**found, name: 1}
            found = fewer if op.is_sound(fewer) else found
    made = [(ONES, found)] if any(found.get(name) == 1 for name in names) else []
    alone = {name: {**sets[0].overrides, name: 1} for name in names if found.get(name) != 1}
    made += [(f"{ALONE}{name}", sizes) for name, sizes in alone.items() if op.is_sound(sizes)]
    measured = ((name, sizes, bytes_of(op, sizes)) for name, sizes in made)
    return [ShapeSet(name, sizes, size, True, name) for name, sizes, size in measured if size is not None]
