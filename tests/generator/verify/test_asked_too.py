"""What few ops are asked for: outputs apart, limits of their dtype, scores left out, bytes at their ends."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.draws import silent_stretches
from kbgen.generator.verify.inputs.emptied import emptied
from kbgen.generator.verify.inputs.ignored import all_ignored, ignored_nan
from kbgen.generator.verify.inputs.lengths import full_lengths
from kbgen.generator.verify.inputs.minus_infinite import minus_infinite_but_first, minus_infinite_in
from kbgen.generator.verify.inputs.thresholds import met_results
from kbgen.generator.verify.inputs.wide_integers import wide_integers
from kbgen.generator.verify.reference.overlaps import overlapping

from .calls import reference


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


@pytest.mark.parametrize(
    ("slices", "expected"),
    [
        ((slice(0, 4), slice(4, 8)), ()),
        ((slice(0, 5), slice(4, 8)), ((0, 1),)),
        ((slice(0, 8, 2), slice(1, 8, 2)), ()),
        ((slice(0, 8, 2), slice(6, 8)), ((0, 1),)),
    ],
)
def test_outputs_may_share_a_storage_and_no_element(
    slices: tuple[slice, slice], expected: tuple[tuple[int, int], ...]
) -> None:
    packed = torch.zeros(8)
    assert overlapping([packed[one] for one in slices]) == expected


def test_an_expanded_output_overlaps_what_it_stands_for() -> None:
    packed = torch.zeros(8)
    assert overlapping([packed[:1].expand(4), packed[:2], packed[2:]]) == ((0, 1),)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_the_oracle_masks_by_the_limits_of_the_op_s_own_dtype(dtype: torch.dtype) -> None:
    masks = reference(lambda x: torch.full_like(x, torch.finfo(x.dtype).min))
    masks.eager([torch.zeros(3, dtype=dtype)], {})
    [found] = masks.oracle([torch.zeros(3, dtype=dtype)], {}).outputs
    assert found.dtype == torch.float64
    assert found[0] == torch.finfo(dtype).min
    assert torch.finfo(torch.float64).max > 1e300


def test_scores_are_left_out_where_numbers_remain() -> None:
    x = torch.randn(8, 64)
    top = minus_infinite_in(0, reference(lambda x: x.sort(-1).values), [x], {}, draw())
    assert top is not None
    assert bool((top[0] == -torch.inf).any())  # type: ignore[union-attr]
    assert minus_infinite_in(0, reference(lambda x: x.sort(-1).values * 0), [x], {}, draw()) is None
    changed = minus_infinite_in(0, reference(lambda x: x.softmax(-1)), [x], {}, draw())
    assert changed is not None
    [scores] = changed
    assert isinstance(scores, torch.Tensor)
    assert 20 < int(scores.isinf().sum()) < 120
    assert bool(scores[:, 0].isfinite().all())
    assert minus_infinite_in(0, reference(lambda x: x.log_softmax(-1)), [x], {}, draw()) is None
    assert minus_infinite_in(0, reference(lambda x: x * 2), [x], {}, draw()) is None


def test_a_loss_of_nothing_and_nan_where_nothing_counts() -> None:
    loss = reference(lambda x, y: nn.functional.cross_entropy(x, y, ignore_index=2))
    given = [torch.randn(64, 5), torch.randint(0, 5, (64,))]
    none = all_ignored(loss, given, {}, draw())
    assert none is not None
    assert bool((none[1] == 2).all())
    marked = ignored_nan(loss, given, {}, draw())
    assert marked is not None
    scores, classes = marked
    assert isinstance(scores, torch.Tensor)
    assert isinstance(classes, torch.Tensor)
    assert bool((classes[scores.isnan().any(1)] == 2).all())
    assert bool(scores.isnan().any())


def test_products_of_bytes_meet_both_ends() -> None:
    given = [torch.randint(-128, 128, (64, 64), dtype=torch.int8) for _ in range(2)]
    changed = wide_integers(reference(lambda a, b: (a.int() @ b.int().t()).float()), given, {}, draw())
    assert changed is not None
    for one in changed:
        assert isinstance(one, torch.Tensor)
        assert 0.3 < float((one == int(one.min())).float().mean()) < 0.6


def test_hashes_are_as_long_as_they_may_be_without_running_over() -> None:
    ids = [torch.randint(0, 1000, (64,))]
    hashed = wide_integers(reference(lambda x: ((x * 2654435761) % 1021).float()), ids, {}, draw())
    wraps = wide_integers(reference(lambda x: ((x * (1 << 40)) % 1021).float()), ids, {}, draw())
    assert hashed is not None
    assert wraps is not None
    assert int(torch.as_tensor(hashed[0]).max()) > 1 << 27
    assert int(torch.as_tensor(wraps[0]).max()) < 1 << 21


def test_results_meet_the_number_that_they_are_compared_with() -> None:
    halves = reference(lambda a, b: a / (a + b) >= 0.5)
    found = met_results(halves, [torch.rand(16, 16), torch.rand(16, 16)], {}, draw())
    assert found is not None
    left, right = (torch.as_tensor(one) for one in found)
    assert int((left == right).sum()) > 8
    assert met_results(reference(lambda a: a * 2), [torch.rand(16)], {}, draw()) is None


@pytest.mark.parametrize("length", [1, 2, 7, 1000])
def test_silence_begins_and_ends_with_a_tile(length: int) -> None:
    drawn = silent_stretches(torch.zeros(6, length), draw())
    assert drawn.shape == (6, length)
    if length == 1000:
        assert not drawn[0, 256:512].any()
        assert bool(drawn[0, :256].all())
        assert not drawn[1, 128:256].any()


def test_one_length_is_as_long_as_its_axis_however_few_there_are() -> None:
    def attend(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(torch.arange(x.shape[1]) >= lengths[:, None], 0.0)

    lengths = torch.tensor([3, 4])
    changed = full_lengths(reference(attend), [torch.randn(2, 23), lengths], {}, draw())
    assert changed is not None
    assert sorted(torch.as_tensor(changed[1]).tolist()) == [1, 23]
    assert full_lengths(reference(lambda x: x), [torch.randn(2, 23)], {}, draw()) is None
    more = full_lengths(reference(attend), [torch.randn(3, 64), torch.tensor([16, 32, 48])], {}, draw())
    assert more is not None
    assert sorted(torch.as_tensor(more[1]).tolist()) == [1, 63, 64]  # a multiple of nothing is among them
    less = full_lengths(reference(attend), [torch.randn(2, 23), lengths], {}, draw(), less=True)
    assert less is not None
    assert sorted(torch.as_tensor(less[1]).tolist()) == [1, 22]
    for seed in range(8):  # one that is there already stays where it is
        drawn = torch.Generator().manual_seed(seed)
        there = [torch.randn(2, 23), torch.tensor([22, 4])]
        less = full_lengths(reference(attend), there, {}, drawn, less=True)
        assert less is not None
        assert torch.as_tensor(less[1]).tolist() == [22, 1]


def test_no_rows_leaves_taps_that_are_as_many() -> None:
    joined = reference(lambda state, x: torch.cat([state, x], -1))
    given = emptied(joined, [torch.randn(2, 5, 2), torch.randn(2, 5, 7)], {}, "no rows")
    assert given is not None
    assert [torch.as_tensor(one).shape for one in given] == [(0, 5, 2), (0, 5, 7)]


def test_all_of_a_row_but_its_first_is_minus_infinity_where_equals_are_told_apart() -> None:
    x = torch.randn(6, 9)
    stable = reference(lambda x: x.sort(dim=-1, descending=True, stable=True).indices[:, :4])
    found = minus_infinite_but_first(stable, [x], {}, draw())
    assert found is not None
    given = torch.as_tensor(found[0])
    assert torch.equal(given.isneginf().sum(-1), torch.tensor([8, 0, 8, 0, 8, 0]))
    assert given[:, 0].isfinite().all()
    assert minus_infinite_but_first(reference(lambda x: x.topk(4).indices), [x], {}, draw()) is None
    assert minus_infinite_but_first(reference(lambda x: x.softmax(-1)), [x], {}, draw()) is None


def test_words_that_are_compared_with_each_other_are_neighbours_far_out_and_their_lengths_stay() -> None:
    def alike(some: torch.Tensor, others: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        inside = torch.arange(some.shape[1])[None] < lengths[:, None]
        return ((some == others) & inside).sum(1)

    given = [torch.randint(0, 9, (4, 40)), torch.randint(0, 9, (4, 40)), torch.tensor([3, 40, 0, 17])]
    changed = wide_integers(reference(alike), given, {}, draw())
    assert changed is not None
    some, others, lengths = map(torch.as_tensor, changed)
    assert torch.equal(lengths, given[2])
    assert bool(((some != others) & (some.float() == others.float()) & (some > 1 << 24)).any())
