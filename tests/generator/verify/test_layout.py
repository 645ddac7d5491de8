"""Inputs that lie in memory otherwise than each other."""

from itertools import permutations

import pytest
import torch

from kbgen.generator.verify.process.layout import SOME_SHIFTED, UNLIKE, layout_of, placed, suits

SQUARE, ROW = torch.ones(3, 4), torch.ones(3)


def test_each_of_two_inputs_is_turned_while_the_other_is_not() -> None:
    for one, other in permutations(range(6), 2):
        laid = [(layout_of(one, SQUARE, layout), layout_of(other, ROW, layout)) for layout in UNLIKE]
        assert ("transposed", "contiguous") in laid
        laid = [(layout_of(one, ROW, layout), layout_of(other, SQUARE, layout)) for layout in UNLIKE]
        assert ("stepped", "contiguous") in laid
        laid = [(layout_of(one, ROW, layout), layout_of(other, ROW, layout)) for layout in SOME_SHIFTED]
        assert ("shifted", "contiguous") in laid


@pytest.mark.parametrize(
    ("shapes", "several"),
    [
        ([(3, 4)], 0),
        ([(3,), (3, 4)], 2),
        ([(), (3, 4)], 0),
        ([(3, 4), (3, 4)], 2),
        ([(3, 4)] * 3, 3),
        ([(3, 4)] * 4, 4),
    ],
)
def test_what_lies_alike_is_not_asked_twice(shapes: list[tuple[int, ...]], several: int) -> None:
    inputs = [torch.ones(shape) for shape in shapes]
    assert sum(suits(inputs, layout) for layout in UNLIKE) == several


def test_values_stay_where_strides_do_not() -> None:
    inputs = [torch.randn(3, 4), torch.randn(3, 4)]
    told = set()
    for layout in UNLIKE:
        laid = [one for one in placed(inputs, layout) if isinstance(one, torch.Tensor)]
        told.add(tuple(one.is_contiguous() for one in laid))
        assert all(torch.equal(one, was) for one, was in zip(laid, inputs, strict=True))
    assert {(True, False), (False, True)} <= told
