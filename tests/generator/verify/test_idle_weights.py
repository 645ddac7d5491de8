"""NaN in rows of tables, weights and buffers that a length or a mask leaves out."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.idle_weights import idle_rows, idle_weights, idle_weights_from_zero
from kbgen.generator.verify.reference.oracle import Reference

from .calls import reference

WEIGHT = torch.randn(9, 4)
IDS, LENGTHS = torch.arange(24).reshape(4, 6) % 9, torch.tensor([2, 6, 0, 3])


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(1)


class Bag(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(WEIGHT)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        out = torch.arange(ids.shape[1]) >= lengths[:, None]
        return nn.functional.embedding(ids, self.weight).masked_fill(out[..., None], 0.0).sum(1)


def test_weights_of_which_padding_alone_names_one_row() -> None:
    bag = Reference(Bag(), "as-is")
    found = idle_rows(bag, [IDS, LENGTHS], {"weight": WEIGHT}, draw())
    assert found is not None
    inputs, state = found
    ids = torch.as_tensor(inputs[0])
    spoilt = state["weight"].isnan().all(1)
    assert spoilt.nonzero().view(-1).tolist() == [8]
    named = spoilt[ids]
    assert named.any()
    assert not (named & (torch.arange(6) < LENGTHS[:, None])).any()
    assert not WEIGHT.isnan().any()


def test_a_table_among_the_inputs_likewise() -> None:
    def looked_up(table: torch.Tensor, ids: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        return torch.where(keep[..., None], table[ids], 0.0).sum(1)

    keep = torch.arange(6) < LENGTHS[:, None]
    found = idle_rows(reference(looked_up), [WEIGHT, IDS, keep], {}, draw())
    assert found is not None
    table, ids = map(torch.as_tensor, found[0][:2])
    assert table[8].isnan().all()
    assert (ids == 8).any()
    assert not (ids == 8)[keep].any()


def test_where_every_place_counts_there_is_none() -> None:
    counted = reference(lambda table, ids: table[ids].sum(1))
    assert idle_rows(counted, [WEIGHT, IDS], {}, draw()) is None
    multiplied = reference(lambda table, ids, keep: (table[ids] * keep[..., None]).sum(1))
    keep = (torch.arange(6) < LENGTHS[:, None]).float()
    assert idle_rows(multiplied, [WEIGHT, IDS, keep], {}, draw()) is None


class Cache(nn.Module):
    """Scores against what a cache holds so far."""

    def __init__(self, masked: bool) -> None:
        super().__init__()
        self.masked = masked
        self.register_buffer("cache", torch.randn(5, 6))

    def forward(self, q: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.cache @ q
        later = torch.arange(5) >= length
        return scores.masked_fill(later, 0.0) if self.masked else scores * ~later


@pytest.mark.parametrize("written", [False, True])
def test_what_a_buffer_holds_behind_a_length(written: bool) -> None:
    """All of it, also where the op itself writes to it."""

    class Written(Cache):
        def forward(self, q: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
            self.cache[0] = q
            return super().forward(q, length)

    model = Written(True) if written else Cache(True)
    given = [torch.randn(6), torch.tensor([3])]
    found = idle_weights(Reference(model, "as-is"), given, {"cache": torch.randn(5, 6)}, draw())
    assert found is not None
    spoilt = found[1]["cache"].isnan()
    assert spoilt[3:].all()
    assert not spoilt[1:3].any()
    assert bool(spoilt[0].all()) is written


def test_what_is_multiplied_by_zero_in_the_reference_is_a_number() -> None:
    given = [torch.randn(6), torch.full((5,), 3)]
    state = {"cache": torch.randn(5, 6)}
    found = idle_weights(Reference(Cache(False), "as-is"), given, state, draw())
    assert found is not None
    assert (found[1]["cache"][4] == 2.0**98).all()
    assert torch.equal(found[1]["cache"][:4], state["cache"][:4])  # of which a length of three names one


def test_the_padding_of_a_bag_is_nan_and_what_nobody_looks_up_is_enormous() -> None:
    bag = Reference(nn.EmbeddingBag(6, 2, mode="sum", padding_idx=1), "as-is")
    given = [torch.tensor([0, 1, 5, 1]), torch.tensor([0, 2])]
    found = idle_weights(bag, given, {"weight": torch.randn(6, 2)}, draw())
    assert found is not None
    weight = found[1]["weight"]
    assert weight.isnan().all(1).tolist() == [False, True, False, False, False, False]
    assert (weight == 2.0**98).all(1).tolist() == [False, False, True, True, True, False]


def test_rows_that_nobody_looks_up_are_enormous_but_not_where_floats_alone_go_in() -> None:
    class Lookup(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(torch.randn(5, 3).half())

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.table[ids]

    state = {"table": torch.randn(5, 3).half()}
    found = idle_weights(Reference(Lookup(), "as-is"), [torch.tensor([0, 4, 2])], state, draw())
    assert found is not None
    assert (found[1]["table"] == 65504).all(1).tolist() == [False, True, False, True, False]
    assert idle_weights(Reference(nn.Linear(3, 2), "as-is"), [torch.zeros(4, 3)], {}, draw()) is None


def test_padding_is_named_whatever_is_drawn() -> None:
    def padded(ids: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        return table[ids].masked_fill((ids == 0)[..., None], 0.0).sum(1)

    class Padded(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(WEIGHT)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return padded(ids, self.weight)

    ids = IDS.clamp_min(1)
    found = idle_weights_from_zero(Reference(Padded(), "as-is"), [ids], {"weight": WEIGHT}, draw())
    assert found is not None
    (named,), state = found
    assert (torch.as_tensor(named) == 0).any()
    assert state["weight"][0].isnan().all()
    times_mask = (state["weight"][named] * (torch.as_tensor(named) != 0)[..., None]).sum(1)
    assert padded(torch.as_tensor(named), state["weight"]).isfinite().all()
    assert times_mask.isnan().any()


def test_the_padding_of_a_bag_is_named_from_both_ends_whatever_is_drawn() -> None:
    for padding in (2, 7):
        bag = Reference(nn.EmbeddingBag(9, 2, mode="sum", padding_idx=padding), "as-is")
        given = [torch.tensor([0, 8, 4, 4, 3, 4]), torch.tensor([0, 2])]
        found = idle_weights_from_zero(bag, given, {"weight": torch.randn(9, 2)}, draw())
        assert found is not None
        (ids, offsets), state = found
        assert torch.as_tensor(ids).tolist() == [0, 8, 1, 7, 2, 6]
        assert torch.equal(torch.as_tensor(offsets), given[1])
        assert state["weight"].isnan().all(1).nonzero().view(-1).tolist() == [padding]


def test_numbers_of_any_size_name_no_rows_from_both_ends() -> None:
    class Lowest(nn.Module):
        def forward(self, words: torch.Tensor) -> torch.Tensor:
            return torch.minimum(words & 0xFFFFFFFF, words ^ 0xFFFFFFFF)

    words = torch.randint(0, 2**32, (3, 7))
    assert idle_weights_from_zero(Reference(Lowest(), "as-is"), [words], {}, draw()) is None
