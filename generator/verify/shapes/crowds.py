"""Makes so many integers that add up at a few places that 16 bits do not count those at one of them."""

from __future__ import annotations

import contextlib

from ....profiling.op import Op, OpError
from ....profiling.shapes import ShapeSet
from .sizing import fewest, free_sizes, sizes_of

CROWDED = "crowded"
"""The last of all shapes, of which nothing else is asked."""

_MANY, _OTHERS, _MOST_BYTES = (1 << 16) + 465, 4, 8 << 20

_ADDS_UP = ("scatter_add", "index_add", "bincount", "scatter_reduce", "index_put", "histc")


def crowded(op: Op, sets: list[ShapeSet]) -> list[ShapeSet]:
    """Next to nothing along all axes but one that makes more of the integers which name places than 16 bits
    count, where the op adds up at such, and full size has more of them."""
    if not any(word in call.name for call in op.footprint().calls for word in _ADDS_UP):
        return []
    full = sizes_of(op.constants)
    long = [name for name in free_sizes(op) if full.get(name, 0) >= _MANY]
    for name in sorted(long, key=lambda one: -full[one]):
        overrides = {**sets[0].overrides, **fewest(sets, _OTHERS), name: _MANY}
        with contextlib.suppress(OpError):
            size = op.with_overrides(overrides).footprint().total_bytes
            if size <= _MOST_BYTES and op.is_sound(overrides):
                return [ShapeSet(CROWDED, overrides, size, True, f"many {name} at few places", axis=_MANY)]
    return []
