"""Integers, and repeated rows, that only whole comparisons and long walks tell from others."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.draws import ones_and_threes
from kbgen.generator.verify.inputs.links import chained, chains, far_steps, high_words
from kbgen.generator.verify.inputs.repeated import rows_twice
from kbgen.generator.verify.reference.oracle import Reference

from .calls import reference as computes

DRAW = torch.Generator().manual_seed(0)
PARENTS = (torch.rand(3, 20, generator=DRAW) * (torch.arange(20) + 1)).long() - 1


class Depths(nn.Module):
    def forward(self, parents: torch.Tensor) -> torch.Tensor:
        depths = torch.zeros_like(parents)
        for place in range(parents.shape[1]):
            up = parents[:, place : place + 1].clamp(min=0)
            found = depths.gather(1, up)[:, 0] + 1
            depths[:, place] = torch.where(parents[:, place] >= 0, found, torch.zeros_like(found))
        return depths


class Alike(nn.Module):
    def forward(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return (one == other).sum(-1)


class Places(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.argmin(-1)


def reference(model: nn.Module) -> Reference:
    return Reference(model, "as-is")


def test_a_tree_becomes_one_long_branch() -> None:
    found = chained(reference(Depths()), [PARENTS], {}, DRAW)
    assert found is not None
    assert isinstance(found[0], torch.Tensor)
    assert int(Depths()(found[0]).max()) == 19
    assert int(Depths()(PARENTS).max()) < 19


def test_what_names_no_earlier_place_of_its_row_is_no_tree() -> None:
    classes = torch.randint(0, 1000, (3, 20), generator=DRAW)
    assert chained(reference(Alike()), [classes, classes], {}, DRAW) is None
    rising = torch.arange(20).expand(3, 20) // 2
    assert chained(reference(Alike()), [rising, rising], {}, DRAW) is None


def test_some_integers_differ_in_their_upper_halves_alone() -> None:
    ids = torch.randint(0, 50, (4, 30), generator=DRAW)
    found = high_words(reference(Alike()), [ids, ids.clone()], {}, DRAW)
    assert found is not None
    first, second = found
    assert isinstance(first, torch.Tensor)
    assert isinstance(second, torch.Tensor)
    low = (1 << 32) - 1
    assert torch.equal(first & low, second & low)
    assert not torch.equal(first, second)
    assert high_words(reference(Alike()), [ids.int(), ids.int()], {}, DRAW) is None


def test_the_second_half_of_rows_repeats_the_first_where_places_come_out() -> None:
    x = torch.randn(6, 9, generator=DRAW)
    found = rows_twice(reference(Places()), [x], {}, DRAW)
    assert found is not None
    assert isinstance(found[0], torch.Tensor)
    assert torch.equal(found[0][:, :4], found[0][:, 4:8])
    assert torch.equal(found[0][:3, :8], found[0][3:, :8])
    assert rows_twice(reference(nn.ReLU()), [x], {}, DRAW) is None


def test_half_of_ones_and_threes_lie_halfway_divided_by_their_mean() -> None:
    for length in (7, 16):
        drawn = ones_and_threes(torch.zeros(5, length), DRAW)
        assert torch.equal(drawn.abs().mean(1), torch.full((5,), 2.0))
        assert int(((drawn / 2).abs() == 0.5).sum()) == 5 * (length // 2)


def test_numbers_in_far_steps_have_no_lower_bits_and_meet() -> None:
    ids, keys = (torch.randint(0, 9000, (many,), generator=DRAW, dtype=torch.int32) for many in (300, 100))
    known = computes(torch.isin)
    found = far_steps(known, [ids, keys], {}, DRAW)
    assert found is not None
    changed, others = (torch.as_tensor(one) for one in found)
    assert len(changed.unique()) == 300
    assert bool((changed % (1 << 22) == 0).all())
    assert bool((changed >= 0).all())
    assert bool(torch.isin(others, changed).all())
    assert far_steps(computes(lambda x, y: x.float().sum() + y), [ids, keys], {}, DRAW) is None
    assert far_steps(computes(lambda x, t: t[x]), [ids.long(), torch.arange(9000)], {}, DRAW) is None


def test_links_make_one_chain_and_a_ring_where_an_end_has_no_answer() -> None:
    edges = torch.rand(4, 12, 12, generator=DRAW) < 0.3
    chain = chains(computes(lambda x: x.any(1)), [edges], {}, DRAW)
    assert chain is not None
    assert torch.as_tensor(chain[0]).sum((1, 2)).tolist() == [11] * 4
    assert torch.equal(torch.as_tensor(chain[0])[1], torch.as_tensor(chain[0])[0].t())
    ring = chains(computes(lambda x: 1 / x.float().sum(-1)), [edges], {}, DRAW)
    assert ring is not None
    assert torch.as_tensor(ring[0]).sum((1, 2)).tolist() == [12] * 4
    assert chains(computes(lambda x: x.any(1)), [edges[:, :8]], {}, DRAW) is None


def test_costs_of_a_chain_are_low_or_high_where_extremes_are_sought() -> None:
    costs = torch.rand(4, 12, 12, generator=DRAW)
    found = chains(computes(lambda x: (x[:, :1] + x).amin(1)), [costs], {}, DRAW)
    assert found is not None
    assert [int((one == 1).sum()) for one in torch.as_tensor(found[0])] == [11, 11, 133, 133]
    assert chains(computes(lambda x: x @ x), [costs], {}, DRAW) is None
