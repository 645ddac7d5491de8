"""Calls that tell near rivals, crowded places, far grades and all that is left out."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.extremes import zeros_alone
from kbgen.generator.verify.inputs.idle import idle_behind_lengths, idle_from_zero, idle_nan
from kbgen.generator.verify.inputs.integers import one_place
from kbgen.generator.verify.inputs.repeated import nearly_twice, one_nearly_twice
from kbgen.generator.verify.inputs.unlike import one_vanishing, two_far_out, unlike_sizes
from kbgen.generator.verify.inputs.weights import at_their_beginning, counted_on
from kbgen.generator.verify.inputs.wide_integers import wide_integers

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def test_rows_stand_nearly_four_times_and_are_near_in_many_degrees() -> None:
    x = torch.randn(8, 64)
    changed = nearly_twice(reference(lambda x: x.argmax(-1)), [x], {}, draw())
    assert changed is not None
    found = changed[0]
    assert isinstance(found, torch.Tensor)
    assert torch.equal(found[:2, :16], x[:2, :16])
    for copy in range(1, 4):
        off = (found[:2, 16 * copy : 16 * (copy + 1)].double() / x[:2, :16].double() - 1).abs()
        assert 2.0**-21 < off.min() < 2.0**-17
        assert 2.0**-12 < off.max() < 2.0**-9


def test_of_two_one_alone_has_rivals() -> None:
    def nearest(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a[:, None] - b[None]).square().sum(-1).argmin(1)

    a, b = torch.randn(8, 4), torch.randn(12, 4)
    for turn, other in ((0, 1), (1, 0)):
        changed = one_nearly_twice(turn, reference(nearest), [a, b], {}, draw())
        assert changed is not None
        assert changed[other] is (a, b)[other]
        found = torch.as_tensor(changed[turn])
        quarter = len(found) // 4
        assert torch.allclose(found[quarter : 2 * quarter], found[:quarter], rtol=2.0**-9)
    assert one_nearly_twice(0, reference(lambda x: x.argmax(-1)), [a], {}, draw()) is None


def products(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b * b


def test_one_input_is_far_out_and_the_other_close_in() -> None:
    a, b = torch.randn(4, 6), torch.randn(4, 6)
    changed = unlike_sizes(1, reference(products), [a, b], {}, draw())
    assert changed is not None
    assert torch.equal(torch.as_tensor(changed[0]), a * 2.0**-66)
    assert torch.equal(torch.as_tensor(changed[1]), b * 2.0**66)
    assert unlike_sizes(1, reference(products), [a, b.abs()], {}, draw()) is None
    assert unlike_sizes(1, reference(products), [a.half(), b.half()], {}, draw()) is None


def test_two_scales_are_far_out_beside_a_third_input_that_is_close_in() -> None:
    def scaled(x: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
        return x * row * column

    given = [torch.randn(4, 6), torch.randn(4, 1), torch.randn(6)]
    sizes = [(-66, 66, 66), (66, 66, -66)]
    for turn, powers in enumerate(sizes):
        changed = two_far_out(turn, reference(scaled), given, {}, draw())
        assert changed is not None or powers[0] > 0  # the first two alone are infinite
        for one, was, power in zip(changed or (), given, powers, strict=False):
            assert torch.equal(torch.as_tensor(one), was * 2.0**power)
    assert two_far_out(2, reference(scaled), given, {}, draw()) is None
    assert two_far_out(0, reference(products), given[:2], {}, draw()) is None


def test_one_input_is_next_to_nothing_where_that_changes_nothing_but_sizes() -> None:
    a, b = torch.randn(4, 6), torch.randn(4, 6)
    for turn in range(2):
        changed = one_vanishing(turn, reference(torch.mul), [a, b], {}, draw())
        assert changed is not None
        assert torch.equal(torch.as_tensor(changed[turn]), (a, b)[turn] * 2.0**-100)
        assert changed[1 - turn] is (a, b)[1 - turn]
    assert one_vanishing(0, reference(lambda a, b: a + b), [a, b], {}, draw()) is None
    assert one_vanishing(0, reference(lambda a, b: a * a * a * b), [a, b], {}, draw()) is None  # eager's own
    assert one_vanishing(0, reference(lambda a, b: b * torch.tanh(a)), [a, b], {}, draw()) is None
    assert one_vanishing(1, reference(lambda a: a * 2), [a], {}, draw()) is None


def test_one_input_is_small_where_an_epsilon_has_a_part_in_the_answer() -> None:
    def cosines(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a * b).sum(-1) / (a.norm(dim=-1).clamp_min(1e-8) * b.norm(dim=-1).clamp_min(1e-8))

    a, b = torch.randn(4, 6), torch.randn(4, 6)
    changed = one_vanishing(1, reference(cosines), [a, b], {}, draw())
    assert changed is not None
    assert torch.equal(torch.as_tensor(changed[1]), b * 2.0**-50)
    assert one_vanishing(1, reference(lambda a, b: a + b.softmax(-1)), [a, b], {}, draw()) is None


def test_zeros_alone_are_of_both_signs_where_numbers_are() -> None:
    changed = zeros_alone(reference(torch.add), [torch.randn(64), torch.rand(64)], {}, draw())
    assert changed is not None
    signed, unsigned = map(torch.as_tensor, changed)
    assert not signed.any()
    assert 0 < int(signed.signbit().sum()) < 64
    assert not unsigned.signbit().any()


def test_nan_stands_in_a_row_of_which_nothing_is_left() -> None:
    def kept(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(torch.arange(x.shape[1])[None] >= lengths[:, None], 0.0).sum(1)

    lengths = torch.tensor([3, 5, 2, 4])
    changed = idle_from_zero(reference(kept), [torch.randn(4, 6), lengths], {}, draw())
    assert changed is not None
    x, lengths = map(torch.as_tensor, changed)
    assert int(lengths[0]) == 0
    assert x[0].isnan().all()


@pytest.mark.parametrize("seed", range(8))
def test_what_is_idle_behind_a_length_is_taken_nowhere_else(seed: int) -> None:
    """Pages of a cache are named more than once by chance, and then what ends one row belongs to another."""

    def pages(cache: torch.Tensor, table: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        rows = cache[table].flatten(1)
        return rows.masked_fill(torch.arange(rows.shape[1])[None] >= lengths[:, None], 0.0).sum(1)

    generator = torch.Generator().manual_seed(seed)
    table = torch.randint(0, 16, (2, 8), generator=generator)
    cache = torch.randn(16, 4, 3, generator=generator).sum(-1)
    changed = idle_behind_lengths(reference(pages), [cache, table, torch.tensor([9, 20])], {}, generator)
    assert changed is not None
    cache, table, lengths = map(torch.as_tensor, changed)
    assert sorted(lengths.tolist()) == [1, 31]
    assert all(len(set(row)) == 8 for row in table.tolist())
    long = int(lengths.argmax())
    assert cache[table[long]].flatten()[31:].isnan().all()


def test_what_is_left_out_is_found_beside_what_has_no_gradient_and_counts() -> None:
    def softmax(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        inside = torch.arange(x.shape[1])[None] < lengths[:, None]
        return x.masked_fill(~inside, float("-inf")).softmax(1).masked_fill(~inside, 0.0)

    lengths = torch.tensor([3, 1, 2, 6])  # one alone has all the weight, whatever it is
    changed = idle_nan(reference(softmax), [torch.randn(4, 6), lengths], {}, draw())
    assert changed is not None
    x = torch.as_tensor(changed[0])
    assert x[0, 3:].isnan().all()
    assert x[2, 2:].isnan().all()
    assert not x[1, 0].isnan()
    assert not x[3].isnan().any()


def test_buffers_that_calls_keep_up_begin_with_nothing() -> None:
    state = {"mean": torch.randn(4), "step": torch.tensor(3), "table": torch.randn(4)}
    changed = at_their_beginning({"mean", "step"}, nn.Linear(2, 2), state, draw())
    assert changed is not None
    assert not changed["mean"].any()
    assert changed["step"] is state["step"]
    assert changed["table"] is state["table"]
    assert at_their_beginning({"step"}, nn.Linear(2, 2), state, draw()) is None


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
    assert counted_on(set(), model, state, draw()) is None
