"""A shape with every size three times as large as shipped, or twice: what some sizes make together, a group
of channels with its places, say, is within a tile at full size and along each axis alone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .longest import CALLS, is_axis, is_loop
from .sizing import free_sizes, sizes_of

ENLARGED = "all sizes enlarged"

_TIMES = (3, 2)

_ELEMENTS = 3 << 16
"""Going in and coming out: an interpreter is through them in about a second."""


def enlarged(op: Op, most_bytes: int) -> list[ShapeSet]:
    """Where there is room for it. Steps of a loop stay as many; what takes no odd sizes has a multiple."""
    whole = op.footprint()
    if (whole.state and whole.is_network) or len(whole.calls) > CALLS:
        return []
    full = sizes_of(op.constants)
    names = [name for name in free_sizes(op) if _is_seen(op, name) and not is_loop(op, name)]
    for sizes in _tried(full, names, [name for name in names if is_axis(op, name)]):
        with contextlib.suppress(OpError):
            made = op.with_overrides(sizes).footprint()
            elements = sum(map(math.prod, (*made.inputs, *made.outputs)))
            if elements <= _ELEMENTS and made.total_bytes <= most_bytes and op.is_sound(sizes):
                told = "several sizes beyond those shipped"
                return [ShapeSet(ENLARGED, sizes, made.total_bytes, True, told)]
    return []


def _is_seen(op: Op, name: str) -> bool:
    """Whether anything that goes in, comes out or stays is longer with twice as much: a number of groups, of
    which there may be so many in all that none is larger, is not."""
    usual = op.footprint()
    with contextlib.suppress(OpError):
        made = op.with_overrides({name: 2 * sizes_of(op.constants)[name]}).footprint()
        return (made.inputs, made.state, made.outputs) != (usual.inputs, usual.state, usual.outputs)
    return True


def _tried(full: dict[str, int], names: list[str], axes: list[str]) -> Iterator[dict[str, int]]:
    """All of them, odd ones and then multiples, then those alone that the model is not built from."""
    for chosen in (names, axes):
        for times in _TIMES:
            if len(chosen) > 1:
                yield {name: (times * full[name]) | 1 for name in chosen}
                yield {name: times * full[name] for name in chosen}
