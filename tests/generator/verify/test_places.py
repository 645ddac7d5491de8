"""What a reference does with integers that name places, and what may become of them."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.families import nudged
from kbgen.generator.verify.inputs.integers import lowest_places, one_place
from kbgen.generator.verify.inputs.offsets import nan_in_a_part, one_part, uneven_offsets, without_elements
from kbgen.generator.verify.inputs.past_places import past_the_last
from kbgen.generator.verify.inputs.places import Uses, names_each_once, puts_at_places
from kbgen.generator.verify.inputs.resized import other_rows
from kbgen.generator.verify.inputs.wide_integers import PICKS_BITS
from kbgen.generator.verify.reference.oracle import Reference

SLOTS = torch.tensor([7, 3, 11, 5])
KEYS, CACHE = torch.randn(4, 6), torch.randn(12, 6)


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


class Written(nn.Module):
    def forward(self, key: torch.Tensor, cache: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
        out = cache.clone()
        out[slots] = key
        return out


class Skipped(nn.Module):
    def forward(self, key: torch.Tensor, cache: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
        rows = torch.where(slots < 0, len(cache), slots)
        return torch.cat([cache, cache[:1]]).index_copy(0, rows, key)[: len(cache)]


class Counted(nn.Module):
    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        return nn.functional.one_hot(codes, 5).sum(1)


class Bags(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(9, 2))

    def forward(self, places: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        return nn.functional.embedding_bag(places, self.weight, offsets, mode="mean")


class Parts(nn.Module):
    def forward(self, x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
        return x * torch.repeat_interleave(sizes.float(), sizes, output_size=len(x))[:, None]


def test_slots_to_write_to_never_name_a_place_twice() -> None:
    reference, inputs = Reference(Written(), "as-is"), [KEYS, CACHE, SLOTS]
    assert puts_at_places(reference, inputs, {})
    changed = lowest_places(reference, inputs, {}, draw())
    assert changed is not None
    assert torch.equal(torch.as_tensor(changed[2]), torch.tensor([0, 3, 5, 11]))
    assert [told for told, _ in other_rows(reference, inputs, {})] == []
    moved = nudged([SLOTS], draw(), puts=True)[0]
    assert names_each_once(moved)
    assert not torch.equal(moved, SLOTS)


def test_lengths_and_look_ups_may_repeat() -> None:
    looked_up = nn.Embedding(12, 3)
    assert not puts_at_places(Reference(looked_up, "as-is"), [SLOTS], looked_up.state_dict())
    assert one_place(Reference(Counted(), "as-is"), [torch.tensor([[1, 2], [3, 0]])], {}, draw()) is not None
    assert one_place(Reference(Written(), "as-is"), [KEYS, CACHE, SLOTS], {}, draw()) is None


@pytest.mark.parametrize("step", [4, 1])
def test_beginnings_of_rows_stay_in_order_when_one_of_them_changes(step: int) -> None:
    offsets = torch.arange(0, 4 * step, step)
    moved = nudged([offsets], draw())[0]
    assert isinstance(moved, torch.Tensor)
    assert bool((moved.diff() >= 0).all())
    assert moved[[0, -1]].tolist() == offsets[[0, -1]].tolist()
    assert int((moved != offsets).sum()) == 1


def test_bags_become_uneven_and_empty() -> None:
    bags = Bags()
    inputs = [torch.randint(0, 9, (40,)), torch.arange(0, 40, 2)]
    changed = uneven_offsets(Reference(bags, "as-is"), inputs, bags.state_dict(), draw())
    assert changed is not None
    moved = changed[1]
    assert isinstance(moved, torch.Tensor)
    lengths = moved.diff()
    assert bool((lengths == 0).any())
    assert int(lengths.max()) > 2
    assert (int(moved[0]), int(moved[-1])) == (0, 38)


def test_what_lengths_add_up_to_is_divided_otherwise() -> None:
    inputs = [torch.randn(32, 2), torch.full((8,), 4)]
    changed = uneven_offsets(Reference(Parts(), "as-is"), inputs, {}, draw())
    assert changed is not None
    moved = changed[1]
    assert isinstance(moved, torch.Tensor)
    assert int(moved.sum()) == 32
    assert len(set(moved.tolist())) > 1


@pytest.mark.parametrize("model", [Written(), nn.ReLU()])
def test_what_is_no_beginning_stays(model: nn.Module) -> None:
    inputs = [KEYS, CACHE, torch.tensor([2, 4, 6, 9])] if isinstance(model, Written) else [KEYS]
    assert uneven_offsets(Reference(model, "as-is"), inputs, {}, draw()) is None


def test_slots_of_which_some_name_nothing_are_no_beginnings() -> None:
    inputs = [torch.randn(3, 6), CACHE, torch.tensor([-1, -1, 9])]
    assert one_part(Reference(Skipped(), "as-is"), inputs, {}, draw()) is None


def test_one_part_holds_all_and_no_part_holds_any() -> None:
    rows, sizes = torch.randn(32, 2), torch.full((8,), 4)
    changed = one_part(Reference(Parts(), "as-is"), [rows, sizes], {}, draw())
    assert changed is not None
    assert sorted(torch.as_tensor(changed[1]).tolist()) == [0] * 7 + [32]
    bags = Bags()
    given = [torch.arange(8), torch.arange(0, 8, 2)]
    changed = one_part(Reference(bags, "as-is"), given, bags.state_dict(), draw())
    assert changed is not None
    assert torch.as_tensor(changed[1]).tolist() == [0, 0, 6, 6]
    parts = Reference(Parts(), "as-is")
    emptied = without_elements(parts, [rows, sizes], {})
    assert emptied is not None
    assert [torch.as_tensor(one).shape for one in emptied] == [(0, 2), (8,)]
    assert not torch.as_tensor(emptied[1]).any()
    written = [KEYS, CACHE, torch.tensor([2, 4, 6, 12])]
    assert without_elements(Reference(Written(), "as-is"), written, {}) is None


class Dropped(nn.Module):
    """A place as large as the number of rows counts for nothing."""

    def forward(self, rows: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return torch.cat([rows, rows.new_zeros(1, rows.shape[1])])[places]


def test_the_place_past_the_last_is_named_where_something_stands_there() -> None:
    rows, places = torch.randn(12, 3), torch.arange(10) % 7
    changed = past_the_last(Reference(Dropped(), "as-is"), [rows, places], {}, draw())
    assert changed is not None
    assert torch.as_tensor(changed[1])[::4].tolist() == [12, 12, 12]
    looked_up = nn.Embedding(12, 3)
    assert past_the_last(Reference(looked_up, "as-is"), [places], looked_up.state_dict(), draw()) is None


class Means(nn.Module):
    def forward(self, x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        part = torch.searchsorted(ends[1:].contiguous(), torch.arange(len(x)), right=True)
        return x.new_zeros(len(ends) - 1, 2).index_add(0, part, x) / ends.diff().clamp_min(1)[:, None]


def test_nan_in_one_part_leaves_the_others_what_they_are() -> None:
    given = [torch.randn(12, 2), torch.tensor([0, 2, 9, 12])]
    changed = nan_in_a_part(Reference(Means(), "as-is"), given, {}, draw())
    assert changed is not None
    assert torch.as_tensor(changed[0]).isnan().any(1).nonzero().view(-1).tolist() == list(range(2, 9))
    whole = [torch.randn(12, 2), torch.tensor([0, 12])]
    assert nan_in_a_part(Reference(Means(), "as-is"), whole, {}, draw()) is None  # nothing but NaN is left


def test_what_bits_are_shifted_by_is_none_of_the_bits_that_are_picked() -> None:
    words, shifts = torch.randint(0, 1 << 30, (8,)), torch.arange(0, 32, 4)
    for numbers, otherwise in ((words, False), (shifts, True)):
        with Uses([numbers], PICKS_BITS) as uses:
            (words >> shifts) & 15
        assert uses.names
        assert uses.otherwise is otherwise
