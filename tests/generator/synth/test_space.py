"""The index space: reshapes keep the row-major order, meetings of dimensions are symmetric."""

from __future__ import annotations

from itertools import product as every
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbgen.generator.writers.synth.extent import Extent
from kbgen.generator.writers.synth.space import Affine, Axis, CannotFuseError, Dims, Space

ONE = Extent((1,))
FACTORS = st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=4)


def _offset(space: Space, dims: Dims, sizes: list[int], at: dict[Axis, int]) -> int:
    """The row-major position of the element at the given leaf positions."""
    strides = [Extent((prod(sizes[i + 1 :]),)) for i in range(len(sizes))]
    index = space.row_major(dims, strides)
    return sum(c.full * at[axis] for axis, c in index.terms)


def _positions(space: Space, axes: tuple[Axis, ...]) -> list[dict[Axis, int]]:
    leaves = space.leaves(axes)
    return [dict(zip(leaves, at, strict=True)) for at in every(*(range(space.sizes[a].full) for a in leaves))]


@settings(deadline=None)
@given(FACTORS, st.data())
def test_a_reshape_keeps_the_row_major_order(sizes: list[int], data: st.DataObject) -> None:
    total = prod(sizes)
    first = data.draw(st.sampled_from([d for d in range(1, total + 1) if total % d == 0]))
    new = [first, total // first]
    space = Space(ONE)
    old = tuple(space.dimension(Extent((s,))) for s in sizes)
    axes = tuple(a for dim in old for a in dim)
    try:
        dims = space.regroup(axes, [Extent((n,)) for n in new], "view")
    except CannotFuseError:
        return
    for at in _positions(space, axes):
        assert _offset(space, dims, new, at) == _offset(space, old, sizes, at)


def _met(left: list[int], right: list[int]) -> list[int] | None:
    space = Space(ONE)
    a, b = ([space.fresh(Extent((s,))) for s in side] for side in (left, right))
    try:
        return [space.sizes[leaf].full for leaf in space.unify(a, b, "meet")]
    except CannotFuseError:
        return None


@settings(deadline=None)
@given(FACTORS.map(lambda f: [n for n in f if n > 1]), FACTORS.map(lambda f: [n for n in f if n > 1]))
def test_two_dimensions_meet_alike_from_either_side(left: list[int], right: list[int]) -> None:
    if left and right and prod(left) == prod(right):
        assert _met(left, right) == _met(right, left)


@settings(deadline=None)
@given(FACTORS.map(lambda f: [n for n in f if n > 1]))
def test_what_has_met_is_one(sizes: list[int]) -> None:
    space = Space(ONE)
    whole = [space.fresh(Extent((prod(sizes),)))]
    parts = [space.fresh(Extent((s,))) for s in sizes]
    if sizes:
        space.unify(whole, parts, "meet")
        assert space.leaves(whole) == space.leaves(parts)


def test_dimensions_that_do_not_divide_do_not_meet() -> None:
    space = Space(ONE)
    a, b = ([space.fresh(Extent((s,))) for s in side] for side in ([4, 6], [6, 4]))
    with pytest.raises(CannotFuseError, match="axes of 6 and 4 elements do not line up"):
        space.unify(a, b, "broadcast")


def test_a_split_axis_is_still_one_index() -> None:
    space = Space(ONE)
    axis = space.fresh(Extent((12,)))
    outer, inner = space.split(axis, Extent((4,)))
    index = space.resolve(Affine(((axis, Extent((5,))),), Extent((0,))))
    assert index.terms == ((outer, Extent((20,))), (inner, Extent((5,))))
