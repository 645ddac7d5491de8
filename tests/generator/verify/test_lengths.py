"""Lengths that are short and none, beside others, where an op file draws none far from full."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.lengths import lengths_of, short_lengths, with_known
from kbgen.generator.verify.reference.oracle import Reference

DRAW = torch.Generator().manual_seed(0)
ROWS = torch.randn(6, 96, generator=DRAW)


class Counted(nn.Module):
    def __init__(self, mean: bool = False) -> None:
        super().__init__()
        self.mean = mean

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        counts = torch.arange(x.shape[1]) < lengths[:, None]
        total = x.where(counts, 0.0).sum(1)
        return total / lengths if self.mean else total


def _told(mean: bool, lengths: torch.Tensor) -> list[int]:
    changed = short_lengths(Reference(Counted(mean), "as-is"), [ROWS, lengths], {}, DRAW)
    assert changed is not None
    assert changed[0] is ROWS
    assert isinstance(changed[1], torch.Tensor)
    return changed[1].tolist()


def test_lengths_are_an_eighth_of_their_axis_half_of_it_none_and_three_quarters() -> None:
    assert _told(False, torch.tensor([90, 96, 90, 84, 96, 85])) == [12, 48, 0, 72, 12, 48]
    assert _told(False, torch.tensor([96, 95, 94, 94, 92, 84])) == [72, 48, 48, 12, 12, 0]  # still fall
    assert _told(True, torch.tensor([90, 96, 90, 84, 96, 85])) == [12, 48, 1, 72, 12, 48]  # 0 / 0


def test_lengths_are_compared_with_all_places_but_the_first_too() -> None:
    class Pairs(nn.Module):
        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            return (x[:, 1:] * (torch.arange(1, x.shape[1]) < lengths[:, None])).sum(1)

    lengths = torch.tensor([90, 96, 90, 84, 96, 85])
    assert lengths_of(Reference(Pairs(), "as-is"), [[ROWS, lengths]], {}) == {1: 96}


def test_what_is_compared_with_places_may_be_reckoned_from_lengths() -> None:
    class Halved(nn.Module):
        def __init__(self, lengths: bool) -> None:
            super().__init__()
            self.lengths = lengths

        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            left = torch.div(lengths - 1, 2, rounding_mode="floor").clamp(min=0)
            until = left if self.lengths else x.sum(1).long()
            return (x[:, ::2] * (torch.arange(x.shape[1] // 2) < until[:, None])).sum(1) + left

    inputs = [ROWS, torch.tensor([90, 96, 90, 84, 96, 85])]
    assert lengths_of(Reference(Halved(True), "as-is"), [inputs, inputs], {}) == {1: 96}
    assert lengths_of(Reference(Halved(False), "as-is"), [inputs, inputs], {}) == {}


def test_what_is_a_length_at_one_shape_is_one_where_a_single_place_is_left() -> None:
    inputs = [ROWS[:, :7], torch.tensor([1, 3, 4, 0, 2, 4])]
    assert with_known(inputs, {}, [1]) == {1: 6}
    assert with_known(inputs, {1: 4}, [1]) == {1: 4}
    assert with_known([ROWS, -inputs[1]], {}, [1]) == {}


def test_where_no_integers_are_lengths_there_are_no_short_ones() -> None:
    class Added(nn.Module):
        def forward(self, x: torch.Tensor, more: torch.Tensor) -> torch.Tensor:
            return x + more[:, None]

    lengths = torch.tensor([90, 96, 90, 84, 96, 85])
    assert short_lengths(Reference(Added(), "as-is"), [ROWS, lengths], {}, DRAW) is None


def test_what_a_loop_compares_with_each_of_its_steps_is_a_length() -> None:
    class Stepped(nn.Module):
        def __init__(self, steps: list[int]) -> None:
            super().__init__()
            self.steps = steps

        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            total = torch.zeros(len(x))
            for step in self.steps:
                total = torch.where(step < lengths, total + x[:, step], total)
            return total

    inputs = [ROWS, torch.tensor([4, 0, 5, 3, 1, 2])]
    for steps, found in (
        (list(range(5)), {1: 5}),
        ([4, 3, 2, 1, 0], {1: 5}),
        ([0, 1], {}),
        ([0, 2, 4], {}),
        (list(range(4)), {}),
    ):
        assert lengths_of(Reference(Stepped(steps), "as-is"), [inputs, inputs], {}) == found
