"""Numbers beside tensors: others are asked for where the reference's results keep their shapes and change."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.lone_numbers import at_number, lone_numbers
from kbgen.generator.verify.inputs.other_numbers import (
    negative_wholes,
    other_floats,
    other_wholes,
    wholes_beyond,
    with_defaults,
)
from kbgen.generator.verify.reference.oracle import Reference

X = torch.randn(4, 6, generator=torch.Generator().manual_seed(1))


class Numbered(nn.Module):
    def forward(self, x: torch.Tensor, factor: float, shift: int = 0, negative: bool = False) -> torch.Tensor:
        return (-x if negative else x).roll(shift, 1) * factor


class First(nn.Module):
    def forward(self, x: torch.Tensor, count: int, unused: float) -> torch.Tensor:
        return x[:, :count]


def test_floating_numbers_come_nearer_to_zero_and_zero_does_not_stay() -> None:
    numbered = Reference(Numbered(), "as-is")
    assert other_floats(numbered, [X, 2.0, 3], {}) == [X, 1.3, 3]
    assert other_floats(numbered, [X, 0.0, 3], {}) == [X, 0.65, 3]


def test_whole_numbers_go_on_by_one_and_truths_turn() -> None:
    assert other_wholes(Reference(Numbered(), "as-is"), [X, 2.0, 3, True], {}) == [X, 2.0, 4, False]


def test_what_forward_takes_by_default_is_given_too() -> None:
    assert other_wholes(Reference(Numbered(), "as-is"), [X, 2.0], {}) == [X, 2.0, 1, True]
    assert with_defaults(nn.ReLU(), [X], int) == [X]


def test_numbers_that_say_how_large_or_nothing_stay() -> None:
    first = Reference(First(), "as-is")
    assert other_wholes(first, [X, 3, 0.5], {}) is None
    assert other_floats(first, [X, 3, 0.5], {}) is None
    assert other_wholes(Reference(nn.ReLU(), "as-is"), [X], {}) is None


def test_whole_numbers_go_below_zero_and_beyond_the_longest_axis() -> None:
    numbered = Reference(Numbered(), "as-is")
    assert negative_wholes(numbered, [X, 2.0, 3, True], {}) == [X, 2.0, -4, True]
    assert wholes_beyond(numbered, [X, 2.0, 2, True], {}) is None  # six further turn it once round


class Clamped(nn.Module):
    def forward(self, x: torch.Tensor, low: float, high: float, scale: float) -> torch.Tensor:
        return x.clamp(low, high) / scale


class Told(nn.Module):
    def forward(self, x: torch.Tensor, twice: bool, negative: bool) -> torch.Tensor:
        return (2 * x if twice else x) * (-1 if negative else 1)


def alone(model: nn.Module, *numbers: float) -> set[tuple[float, ...]]:
    return {tuple(numbers) for _, *numbers in lone_numbers(Reference(model, "as-is"), [X, *numbers], {})}  # type: ignore[misc]


def test_each_number_alone_is_zero_of_the_other_sign_larger_and_one() -> None:
    found = alone(Numbered(), 0.25, 3, True)
    assert found == {
        *((one, 3, True) for one in (0.0, -0.25, 1.5, 1.0)),
        *((0.25, one, True) for one in (0, 1)),
        (0.25, 3, False),
    }


def test_truths_are_told_in_every_combination() -> None:
    assert alone(Told(), True, False) == {(False, False), (True, True), (False, True)}


def test_equal_numbers_part_and_bounds_are_uneven_and_never_crossed() -> None:
    found = alone(Clamped(), -1.0, 1.0, 2.0)
    assert {(-1.0, 0.0, 2.0), (0.0, 1.0, 2.0), (-1.0, 4.0, 2.0)} <= found
    assert all(low <= high for low, high, _ in found)
    assert (-1.0, 1.0, 2.0**-9) in found
    assert all(scale > 0 for *_, scale in found)


def test_a_number_that_a_condition_names_is_given_where_it_makes_a_difference() -> None:
    numbered = Reference(Numbered(), "as-is")
    assert [one[1:] for one in at_number(numbered, [X, 2.0, 3, True], {}, 4.0)] == [
        [4.0, 3, True],
        [2.0, 4, True],
    ]
    assert at_number(numbered, [X, 2.0, 3, True], {}, 0.5) == [[X, 0.5, 3, True]]
    assert at_number(Reference(nn.ReLU(), "as-is"), [X], {}, 0.5) == []


def test_nothing_is_asked_that_chance_has_a_part_in() -> None:
    class Noisy(nn.Module):
        def forward(self, x: torch.Tensor, noise: float) -> torch.Tensor:
            return x + noise * torch.rand_like(x) if noise else x

    assert other_floats(Reference(Noisy(), "as-is"), [X, 0.0], {}) is None
    assert not alone(Noisy(), 0.0)
