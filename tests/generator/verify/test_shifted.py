"""Integers far from zero of which the same differences, or sums, are left."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.shifted import (
    shifted_apart,
    shifted_keys,
    shifted_together,
    spread_keys,
)
from kbgen.generator.verify.reference.oracle import Reference

DRAW = torch.Generator().manual_seed(0)
NOW, LAST = (torch.randint(0, 5000, (4, 7), generator=DRAW) for _ in range(2))
X = torch.randn(4, 7, generator=DRAW)


def reference(forward: object) -> Reference:
    model = nn.Module()
    model.forward = forward  # type: ignore[assignment]
    return Reference(model, "as-is")


def test_stamps_move_together_where_only_what_lies_between_them_counts() -> None:
    decays = reference(lambda x, now, last: x * torch.exp(-(now - last).abs().float() / 3600))
    changed = shifted_together(decays, [X, NOW, LAST], {}, DRAW)
    assert changed is not None
    assert changed[0] is X
    assert torch.equal(changed[1], NOW + 2**40)  # type: ignore[arg-type]
    assert torch.equal(changed[2], LAST + 2**40)  # type: ignore[arg-type]
    counted = reference(lambda x, now, last: x * (now - 2 * last).float())
    assert shifted_together(counted, [X, NOW, LAST], {}, DRAW) is None
    assert shifted_together(reference(lambda x, a, b: x * (a.float() - b)), [X, NOW, LAST], {}, DRAW) is None


def test_where_rows_begin_nothing_moves_though_lengths_stay() -> None:
    lengths = reference(lambda x, begins: x[:, :3] / (begins[1:] - begins[:-1]).float())
    assert shifted_together(lengths, [X, torch.tensor([0, 2, 5, 9])], {}, DRAW) is None


def test_neighbours_move_apart_where_whole_numbers_are_added_up() -> None:
    mean = reference(lambda x: x.sum(1).float() / 7)
    changed = shifted_apart(mean, [NOW.int()], {}, DRAW)
    assert changed is not None
    moved = changed[0]
    assert isinstance(moved, torch.Tensor)
    assert (moved - NOW)[0].tolist() == [2**30, -(2**30)] * 3 + [0]
    assert shifted_apart(reference(lambda x: x.float().sum(1)), [NOW.int()], {}, DRAW) is None


def test_keys_in_order_move_with_those_that_are_looked_for() -> None:
    keys, wanted = torch.arange(0, 40, 3), torch.tensor([5, 6, 11])
    found = reference(lambda x, keys, wanted: x.reshape(-1)[torch.searchsorted(keys, wanted)])
    changed = shifted_keys(found, [X, keys, wanted], {}, DRAW)
    assert changed is not None
    assert torch.equal(changed[1], keys + 2**40)  # type: ignore[arg-type]
    assert torch.equal(changed[2], wanted + 2**40)  # type: ignore[arg-type]
    bags = reference(lambda x, begins: x.reshape(-1)[torch.searchsorted(begins, torch.arange(9))])
    assert shifted_keys(bags, [X, torch.tensor([0, 2, 5, 9])], {}, DRAW) is None


def test_keys_of_64_bits_are_in_no_order_by_their_lower_halves() -> None:
    keys, wanted = torch.arange(0, 40, 3), torch.tensor([5, 6, 11])
    found = reference(lambda x, keys, wanted: x.reshape(-1)[torch.searchsorted(keys, wanted)])
    changed = spread_keys(found, [X, keys, wanted], {}, DRAW)
    assert changed is not None
    spread = changed[1]
    assert isinstance(spread, torch.Tensor)
    assert bool((spread.diff() > 0).all())
    assert bool((spread.int().diff() < 0).any())
    assert spread_keys(found, [X, keys.int(), wanted.int()], {}, DRAW) is None
