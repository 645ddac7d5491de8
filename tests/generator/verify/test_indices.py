"""Places of extremes: by the value that stands there, and the first of equals."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.reference.budget import Target, compare
from kbgen.generator.verify.reference.indices import Choice, well_chosen
from kbgen.generator.verify.reference.oracle import Reference


class Places(nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        values = x * self.scale if self.scale != 1 else x
        return values.argmax(-1), values.min(0).indices, values.argmin()


def judged(x: torch.Tensor, scale: float, output: int, found: torch.Tensor) -> bool:
    reference = Reference(Places(scale), "as-is")
    right, eager = reference.oracle([x], {}), reference.eager([x], {})
    target = Target(
        right.outputs[output], eager.outputs[output], right.outputs[output], choice=right.choices[output]
    )
    return compare(found, target, "fp32").accepted


def test_computed_values_that_rounding_cannot_tell_apart_are_as_good() -> None:
    x = torch.tensor([[1.0, 2.0, 2.0 + 2e-7, 0.5]])
    assert judged(x, 3.0, 0, torch.tensor([2]))
    assert judged(x, 3.0, 0, torch.tensor([1]))
    assert not judged(x, 3.0, 0, torch.tensor([0]))


def test_inputs_are_compared_exactly() -> None:
    x = torch.tensor([[1.0, 2.0, 2.0 + 2e-7, 0.5]])
    assert not judged(x, 1.0, 0, torch.tensor([1]))


def test_of_equals_the_first_is_asked() -> None:
    x = torch.tensor([[5.0, 7.0, 7.0, 7.0]])
    assert judged(x, 3.0, 0, torch.tensor([1]))
    assert not judged(x, 3.0, 0, torch.tensor([3]))


def test_other_dimensions_and_the_whole_tensor() -> None:
    x = torch.tensor([[4.0, 1.0], [2.0, 3.0], [2.0 + 2e-7, 3.0]])
    assert judged(x, 3.0, 1, torch.tensor([2, 0]))
    assert not judged(x, 3.0, 1, torch.tensor([0, 0]))
    assert judged(x, 3.0, 2, torch.tensor(1))
    assert not judged(x, 3.0, 2, torch.tensor(5))


def test_places_outside_the_tensor_are_wrong() -> None:
    x = torch.tensor([[1.0, 2.0]])
    assert not judged(x, 3.0, 0, torch.tensor([7]))
    assert not judged(x, 3.0, 0, torch.tensor([-1]))


class FirstTwo(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sort(x * 3.0, dim=-1, descending=True, stable=True).indices[:, :2]


def test_the_first_few_in_order_are_places_too() -> None:
    reference, x = Reference(FirstTwo(), "as-is"), torch.tensor([[1.0, 2.0, 2.0 + 2e-7, 0.5]])
    right, eager = reference.oracle([x], {}), reference.eager([x], {})
    target = Target(right.outputs[0], eager.outputs[0], right.outputs[0], choice=right.choices[0])
    assert compare(torch.tensor([[1, 2]]), target, "fp32").accepted
    assert not compare(torch.tensor([[2, 0]]), target, "fp32").accepted


class LargestThree(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.topk(x, 3, dim=-1).indices


@pytest.mark.parametrize(
    ("places", "right"),
    [([1, 0, 2], True), ([1, 4, 3], True), ([1, 0, 0], False), ([0, 1, 2], False), ([1, 5, 2], False)],
)
def test_of_equals_the_largest_few_are_any_each_once(places: list[int], right: bool) -> None:
    reference, x = Reference(LargestThree(), "as-is"), torch.tensor([[0.0, 2.0, 0.0, 0.0, 0.0, -1.0]])
    ran, eager = reference.oracle([x], {}), reference.eager([x], {})
    target = Target(ran.outputs[0], eager.outputs[0], ran.outputs[0], choice=ran.choices[0])
    assert compare(torch.tensor([places]), target, "fp32").accepted is right


class InOrder(nn.Module):
    def __init__(self, stable: bool) -> None:
        super().__init__()
        self.stable = stable

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.sort(x, stable=self.stable).indices, torch.argsort(x, stable=self.stable)


@pytest.mark.parametrize("output", [0, 1])
@pytest.mark.parametrize(
    ("places", "stable", "right"),
    [
        ([3, 0, 2, 1], True, True),
        ([3, 2, 0, 1], True, False),
        ([3, 2, 0, 1], False, True),
        ([3, 0, 0, 1], False, False),
        ([0, 3, 2, 1], False, False),
    ],
)
def test_a_sort_that_is_not_stable_may_have_equals_in_any_order(
    places: list[int], stable: bool, right: bool, output: int
) -> None:
    reference, x = Reference(InOrder(stable), "as-is"), torch.tensor([[1.0, 2.0, 1.0, 0.0]])
    ran, eager = reference.oracle([x], {}), reference.eager([x], {})
    target = Target(
        ran.outputs[output], eager.outputs[output], ran.outputs[output], choice=ran.choices[output]
    )
    assert compare(torch.tensor([places]), target, "fp32").accepted is right


class Gate(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1).topk(2).indices.to(torch.int32)


def gated(x: torch.Tensor, found: list[list[int]]) -> bool:
    reference = Reference(Gate(), "as-is")
    right, eager = reference.oracle([x], {}), reference.eager([x], {})
    target = Target(right.outputs[0], eager.outputs[0], right.outputs[0], choice=right.choices[0])
    return compare(torch.tensor(found, dtype=torch.int32), target, "fp32").accepted


def test_places_stay_places_when_they_are_cast() -> None:
    assert gated(torch.tensor([[3.0, 1.0, 3.0, 3.0]]), [[3, 2]])
    assert not gated(torch.tensor([[3.0, 1.0, 3.0, 3.0]]), [[0, 1]])


def test_among_nothing_but_nan_any_places_will_do() -> None:
    row = torch.tensor([[torch.inf, 1.0, 2.0, 3.0]])
    assert gated(row, [[2, 0]])
    assert gated(row, [[2, 2]])  # what is chosen is struck out by less than anything


def test_of_equal_numbers_each_is_chosen_once_and_of_infinities_any() -> None:
    values = torch.tensor([[1.0, 1.0, 0.0, -1.0]])
    low = torch.full((1, 4), -torch.inf)
    assert [chosen(values, places) for places in ([[1, 0]], [[1, 1]])] == [True, False]
    assert [chosen(low, places) for places in ([[3, 2]], [[3, 3]])] == [True, True]


def chosen(values: torch.Tensor, places: list[list[int]]) -> bool:
    choice = Choice(values, -1, True, any_equal=True)
    right, found = torch.tensor([[0, 1]]), torch.tensor(places)
    return bool(((found == right) | well_chosen(found, right, choice, 1e-6)).all())


def test_of_integers_none_is_as_good_as_another_but_its_equal() -> None:
    right, found = torch.tensor([0]), torch.tensor([1])
    whole, floating = torch.tensor([[3070, 3069, -32768]]), torch.tensor([[3.07, 3.069999]])
    for near, good in ((whole, False), (floating, True)):
        assert bool(well_chosen(found, right, Choice(near, 1, False), 1e-5).all()) is good


def test_what_stands_for_nothing_makes_no_other_place_as_good() -> None:
    scores = torch.tensor([[3.0, 2.0, -1e30]], dtype=torch.float64)
    right, found = torch.tensor([0]), torch.tensor([1])
    assert not well_chosen(found, right, Choice(scores, 1, False), 1e-6).any()
