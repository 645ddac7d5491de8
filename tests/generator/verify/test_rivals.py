"""Calls that tell near rivals, crowded places, far grades and all that is left out."""

from collections.abc import Callable

import torch
from torch import nn

from kbgen.generator.verify.inputs.idle import idle_nan
from kbgen.generator.verify.inputs.integers import one_place
from kbgen.generator.verify.inputs.repeated import nearly_twice
from kbgen.generator.verify.inputs.weights import counted_on
from kbgen.generator.verify.inputs.wide_integers import wide_integers
from kbgen.generator.verify.reference.oracle import Reference


class Calls(nn.Module):
    def __init__(self, compute: Callable[..., object]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.compute(*inputs)


def reference(compute: Callable[..., object]) -> Reference:
    return Reference(Calls(compute), "as-is")


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def test_rows_nearly_twice_differ_in_the_thirteenth_bit() -> None:
    x = torch.randn(6, 8)
    changed = nearly_twice(reference(lambda x: x.argmax(-1)), [x], {}, draw())
    assert changed is not None
    found = changed[0]
    assert isinstance(found, torch.Tensor)
    off = (found[:3, 4:] / x[:3, :4] - 1).abs()
    assert torch.allclose(off, torch.full_like(off, 2.0**-12), rtol=1e-3)
    assert torch.equal(found[:3, :4], x[:3, :4])


def test_where_no_place_comes_out_nothing_is_repeated() -> None:
    assert nearly_twice(reference(lambda x: x.amax(-1)), [torch.randn(6, 8)], {}, draw()) is None


def counts(history: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    valid = torch.arange(history.shape[1])[None] < lengths[:, None]
    return torch.zeros(len(history), 9).scatter_add_(1, history, valid.float())


def test_places_are_one_beside_lengths_that_stay() -> None:
    history, lengths = torch.randint(0, 9, (4, 20)), torch.tensor([3, 20, 0, 7])
    changed = one_place(reference(counts), [history, lengths], {}, draw())
    assert changed is not None
    assert torch.equal(changed[0][:, 1:], torch.full((4, 19), int(history.max())))  # type: ignore[index]
    assert changed[1] is lengths


def ranked(scores: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    above = grades.unsqueeze(1) > grades.unsqueeze(0)
    return torch.where(above, scores.unsqueeze(1) - scores.unsqueeze(0), 0.0).sum()


def test_grades_compared_with_each_other_reach_the_ends_of_their_type() -> None:
    grades = torch.randint(0, 5, (20,))
    changed = wide_integers(reference(ranked), [torch.randn(20), grades], {}, draw())
    assert changed is not None
    ends = torch.iinfo(torch.int64)
    assert int(changed[1].min()) == ends.min  # type: ignore[union-attr]
    assert int(changed[1].max()) == ends.max  # type: ignore[union-attr]


def test_lengths_that_places_are_compared_with_do_not() -> None:
    def masked(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return (x * (torch.arange(x.shape[1])[None] < lengths[:, None])).sum(1)

    given = [torch.randn(4, 6), torch.tensor([1, 6, 0, 3])]
    assert wide_integers(reference(masked), given, {}, draw()) is None


def test_all_that_is_left_out_is_nan() -> None:
    def pooled(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(~mask, 0.0).sum(1)

    x, mask = torch.randn(8, 16), torch.rand(8, 16) > 0.4
    changed = idle_nan(reference(pooled), [x, mask], {}, draw())
    assert changed is not None
    assert torch.equal(changed[0].isnan(), ~mask)  # type: ignore[union-attr]


def test_counters_stand_before_the_end_of_their_lower_word() -> None:
    model = nn.Linear(2, 2)
    state = {"hits": torch.zeros(4, dtype=torch.int64), "table": torch.zeros(4, dtype=torch.int64)}
    changed = counted_on({"hits"}, model, state, draw())
    assert changed is not None
    assert changed["hits"].tolist() == [2**32 - 1] * 4
    assert changed["table"] is state["table"]
    step = counted_on({"step"}, model, {"step": torch.tensor(1)}, draw())
    assert step is not None
    assert int(step["step"]) == 2**32 - 1
    tracked = {"norm.num_batches_tracked": torch.tensor(1)}
    assert counted_on(set(tracked), model, tracked, draw()) is None
