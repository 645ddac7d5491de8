"""Reductions over results of matrix products: the axes that a tile of results must hold whole for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..builder import Builder
from ..expr import Reduce
from ..extent import Extent
from ..space import Axis, CannotFuseError
from .factors import ProductAxes

MOST_HELD, MOST_HELD_BOTH = 256, 1 << 14
"""Results that a tile holds whole along one side, and along both: what registers have room for."""

_ONE_SIDE = frozenset({"argmax", "argmin", "any", "all"})


def held_axes(
    builder: Builder, live: Iterable[int], axes: ProductAxes, written: Sequence[frozenset[Axis]]
) -> frozenset[Axis]:
    """Axes that reductions under way of `live` values run over, which have results of products below.

    `written` are the axes of each tensor that is stored. Raises where a tile cannot hold what is reduced.
    """
    found = [(n, node) for n in live if isinstance(node := builder.nodes[n], Reduce)]
    over = {n: frozenset(builder.space.leaves(node.axes)) for n, node in found}
    held = frozenset[Axis]().union(*over.values())
    if not held:
        return held
    if not held <= axes.rows | axes.cols:
        raise CannotFuseError("what is reduced beside a matrix product is not what its tiles hold")
    for number, node in found:
        for side in (axes.rows, axes.cols):
            if over[number] & side not in (frozenset(), held & side):
                raise CannotFuseError("reductions over different dimensions do not share a tile")
        if node.kind in _ONE_SIDE and over[number] & axes.rows and over[number] & axes.cols:
            raise CannotFuseError(f"{node.kind} runs over both sides of a tile")
    sides = [_padded(builder.space.size(tuple(held & side))) for side in (axes.rows, axes.cols)]
    if max(sides) > MOST_HELD or sides[0] * sides[1] > MOST_HELD_BOTH:
        raise CannotFuseError("what is reduced does not fit a tile of a matrix product")
    kept = (axes.batch | axes.rows | axes.cols) - held
    if not kept & (axes.rows | axes.cols):
        raise CannotFuseError("what is reduced beside a matrix product is all that it has")
    if any(kept - seen for seen in (*written, *(builder.free_axes(n) for n, _ in found))):
        raise CannotFuseError("a reduced value beside a matrix product is needed along fewer dimensions")
    return held


def _padded(size: Extent) -> int:
    """The power of two that holds so many elements in every trace."""
    return 1 << max(0, max(size.values) - 1).bit_length()
