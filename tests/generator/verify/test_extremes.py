"""Extremes go where an op has numbers for them, and nowhere else."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.extremes import (
    lone_masks,
    masks_off,
    masks_on,
    padded_masks,
    whole_masks,
    zeros_in,
)
from kbgen.generator.verify.inputs.far_integers import far_integers
from kbgen.generator.verify.inputs.integers import extreme_integers, lowest_places
from kbgen.generator.verify.reference.oracle import Reference


class Largest(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.amax(-1)


class Embedded(nn.Module):
    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x[places]


class Masked(nn.Module):
    def __init__(self, least: float) -> None:
        super().__init__()
        self.least = least

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return (x * mask).sum(-1) / mask.sum(-1).clamp(min=self.least)


DRAW = torch.Generator().manual_seed(0)
X, MASK = torch.randn(4, 6, generator=DRAW), torch.rand(4, 6, generator=DRAW) > 0.5


def test_rows_of_the_smallest_and_the_largest_integer() -> None:
    given = torch.arange(12, dtype=torch.int32).reshape(3, 4)
    changed = extreme_integers(Reference(Largest(), "as-is"), [given], {}, DRAW)
    assert changed is not None
    assert isinstance(changed[0], torch.Tensor)
    assert changed[0].tolist() == [[-(2**31)] * 4, [4, 5, 6, 7], [2**31 - 1] * 4]
    assert given[0, 0] == 0


class Chosen(nn.Module):
    def __init__(self, times: float = 1.0) -> None:
        super().__init__()
        self.times = times

    def forward(self, x: torch.Tensor, priority: torch.Tensor) -> torch.Tensor:
        return x[priority.argmax()] * self.times


def test_floating_numbers_may_be_chosen_by_integers_of_either_sign_and_not_made_of_them() -> None:
    given = torch.tensor([2, -1, 3, 0], dtype=torch.int32)
    changed = extreme_integers(Reference(Chosen(), "as-is"), [X, given], {}, DRAW)
    assert changed is not None
    assert isinstance(changed[1], torch.Tensor)
    assert (int(changed[1][0]), int(changed[1][-1])) == (-(2**31), 2**31 - 1)
    assert extreme_integers(Reference(Chosen(), "as-is"), [X, given.abs()], {}, DRAW) is None
    assert extreme_integers(Reference(Chosen(1.5), "as-is"), [X, given], {}, DRAW) is None


def test_rows_between_the_ends_hold_integers_of_every_magnitude() -> None:
    given = torch.zeros(8, 64, dtype=torch.int64)
    changed = extreme_integers(Reference(Largest(), "as-is"), [given], {}, DRAW)
    assert changed is not None
    assert isinstance(changed[0], torch.Tensor)
    drawn = changed[0][2:-1:2].double().abs()
    assert drawn.max() > 2.0**53
    assert 0 < drawn[drawn > 0].min() < 2.0**24
    assert not changed[0][1:-1:2].any()


def test_places_and_floating_answers_have_no_extreme_integers() -> None:
    assert extreme_integers(Reference(Embedded(), "as-is"), [X, torch.tensor([0, 1])], {}, DRAW) is None
    assert extreme_integers(Reference(Largest(), "as-is"), [X], {}, DRAW) is None


def test_integers_go_far_from_zero_together_where_they_are_no_places() -> None:
    given = torch.arange(12, dtype=torch.int32).reshape(3, 4)
    changed = far_integers(Reference(Largest(), "as-is"), [given], {}, DRAW)
    assert changed is not None
    assert isinstance(changed[0], torch.Tensor)
    assert torch.equal(changed[0] - given, torch.full_like(given, 1 << 28))
    for none in ([X, torch.tensor([0, 1])], [X], [given + (1 << 25)], [given.bool()]):
        model = Embedded() if len(none) == 2 else Largest()
        assert far_integers(Reference(model, "as-is"), none, {}, DRAW) is None


def test_masks_that_take_nothing_and_everything() -> None:
    changed = whole_masks(Reference(Masked(1.0), "as-is"), [X, MASK], {}, DRAW)
    assert changed is not None
    assert isinstance(changed[1], torch.Tensor)
    assert changed[0] is X
    assert not changed[1][0].any()
    assert changed[1][-1].all()
    undefined = Reference(Masked(0.0), "as-is")  # NaN in the place of an empty row: an answer, too
    assert whole_masks(undefined, [X, MASK], {}, DRAW) is not None
    assert whole_masks(Reference(Largest(), "as-is"), [X], {}, DRAW) is None


def test_places_begin_at_zero() -> None:
    inputs = [X, torch.tensor([3, 2, 1, 2])]
    changed = lowest_places(Reference(Embedded(), "as-is"), inputs, {}, DRAW)
    assert changed is not None
    assert isinstance(changed[1], torch.Tensor)
    assert changed[1].tolist() == [0, 2, 1, 3]
    assert lowest_places(Reference(Largest(), "as-is"), [X], {}, DRAW) is None


def test_masks_take_nothing_and_everything_where_there_is_a_number_for_it() -> None:
    nothing = masks_off(Reference(Masked(1.0), "as-is"), [X, MASK], {}, DRAW)
    everything = masks_on(Reference(Masked(1.0), "as-is"), [X, MASK], {}, DRAW)
    assert nothing is not None
    assert everything is not None
    assert not nothing[1].any()  # type: ignore[union-attr]
    assert everything[1].all()  # type: ignore[union-attr]
    assert masks_off(Reference(Masked(0.0), "as-is"), [X, MASK], {}, DRAW) is None


class Biased(nn.Module):
    def forward(self, scores: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return (scores + bias).softmax(-1)


def test_what_is_added_and_zero_throughout_may_be_a_mask() -> None:
    changed = padded_masks(Reference(Biased(), "as-is"), [X, torch.zeros(4, 6)], {}, DRAW)
    assert changed is not None
    bias = changed[1]
    assert isinstance(bias, torch.Tensor)
    assert bool(bias[0, 3:].isneginf().all())
    assert not bias[0, :3].any()
    assert bool(bias[1, :3].isneginf().all())
    assert padded_masks(Reference(Biased(), "as-is"), [X, X], {}, DRAW) is None


class Softened(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(mask == 0, -1e9).softmax(-1)


def test_integers_and_numbers_of_zero_and_one_alone_are_masks() -> None:
    for mask in (MASK.long(), MASK.float()):
        changed = padded_masks(Reference(Softened(), "as-is"), [X, mask], {}, DRAW)
        assert changed is not None
        moved = changed[1]
        assert isinstance(moved, torch.Tensor)
        assert moved.dtype == mask.dtype
        assert moved[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert padded_masks(Reference(Softened(), "as-is"), [X, X], {}, DRAW) is None
    assert padded_masks(Reference(Softened(), "as-is"), [X, torch.ones(4, 6)], {}, DRAW) is None


class Divided(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x / y


def test_one_input_of_several_is_zero_where_the_reference_has_a_number_for_it() -> None:
    given, draw = [torch.randn(4, 4) for _ in range(2)], torch.Generator()
    changed = zeros_in(0, Reference(Divided(), "as-is"), given, {}, draw)
    assert changed is not None
    assert not torch.as_tensor(changed[0]).any()
    assert changed[1] is given[1]
    assert zeros_in(1, Reference(Divided(), "as-is"), given, {}, draw) is None
    assert zeros_in(0, Reference(Largest(), "as-is"), given[:1], {}, draw) is None


def test_one_place_of_each_row_of_a_mask_is_unlike_the_others() -> None:
    """The last of every other row: what whole chunks alone are looked at for."""
    mask = torch.rand(6, 9) > 0.5
    reference, state = Reference(Counted(), "as-is"), dict[str, torch.Tensor]()
    for side in (0, 1):
        found = lone_masks(side, reference, [mask, mask.clone()], state, torch.Generator().manual_seed(0))
        assert found is not None
        first, second = found
        assert isinstance(first, torch.Tensor)
        assert isinstance(second, torch.Tensor)
        assert torch.equal(first, second)
        assert ((first != bool(side)).sum(1) == 1).all()
        assert (first[::2, -1] != bool(side)).all()


def test_a_lone_place_begins_a_tile_where_rows_are_long() -> None:
    masks = [torch.rand(2, 401) > 0.5, torch.rand(6, 50) > 0.5]
    reference, draw = Reference(Counted(), "as-is"), torch.Generator().manual_seed(0)
    for mask in masks:
        found = lone_masks(0, reference, [mask, mask.clone()], {}, draw)
        assert found is not None
        places = torch.as_tensor(found[0]).reshape(-1).nonzero().view(-1)
        assert bool((places % 128 == 0).any())
        assert len(places) == len(mask)


def test_without_masks_none_is_made() -> None:
    draw = torch.Generator().manual_seed(0)
    assert (
        lone_masks(1, Reference(Counted(), "as-is"), [torch.randn(3, 4), torch.randn(3, 4)], {}, draw) is None
    )


class Counted(torch.nn.Module):
    def forward(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return (one * other).sum(-1)
