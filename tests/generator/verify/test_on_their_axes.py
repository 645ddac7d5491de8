"""Offsets and lengths stay on the axis they tell of, whatever else becomes of integers."""

import torch

from kbgen.generator.verify.inputs.lengths import lengths_of, no_longer_than
from kbgen.generator.verify.inputs.offsets import divide_all, divides_an_axis, on_their_axes

from .calls import reference

TOKENS, OTHERS = torch.arange(40), torch.arange(100, 140)
ENDS, OTHER_ENDS = torch.tensor([0, 7, 7, 31, 40]), torch.tensor([0, 1, 20, 30, 40])
FAR = torch.tensor([3, -(2**40), 2**40, 12, 5])


def places(tokens: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    at = torch.arange(len(tokens))
    return at - ends[torch.searchsorted(ends[1:].contiguous(), at, right=True).clamp(max=len(ends) - 2)]


def added(rows: torch.Tensor, segment: torch.Tensor) -> torch.Tensor:
    return torch.zeros(50).index_add(0, segment, rows.float())


def test_offsets_are_told_from_places_that_are_added_up_at() -> None:
    draws = ([TOKENS, ENDS], [OTHERS, OTHER_ENDS])
    assert divides_an_axis(reference(places), draws, {}) == {1}
    assert not divides_an_axis(reference(places), (draws[0], [OTHERS, OTHER_ENDS + 1]), {})  # 1 to 41
    segments = ([TOKENS[:5], ENDS], [OTHERS[:5], OTHER_ENDS])
    assert not divides_an_axis(reference(added), segments, {})


def test_offsets_rise_and_stay_on_their_axis() -> None:
    found = on_their_axes([TOKENS, FAR], [TOKENS, ENDS], frozenset([1]))
    assert isinstance(found[1], torch.Tensor)
    assert found[1].tolist() == [0, 3, 5, 12, 40]
    kept = on_their_axes([TOKENS, FAR], [TOKENS, ENDS], frozenset())
    assert kept[1] is FAR


def test_offsets_end_where_a_longer_axis_does() -> None:
    shipped, offsets = [TOKENS, ENDS], frozenset([1])
    assert divide_all([TOKENS, ENDS], shipped, offsets)
    assert not divide_all([torch.cat([TOKENS, TOKENS]), ENDS], shipped, offsets)
    assert not divide_all([TOKENS[:20], ENDS], shipped, offsets)
    short = ENDS.clamp(max=30)
    assert divide_all([torch.cat([TOKENS, TOKENS]), short], [TOKENS, short], offsets)  # ended before


def test_lengths_take_an_axis_whole_at_most() -> None:
    def kept(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return (torch.arange(x.shape[1]) < lengths[:, None]).long()

    def equal(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return (torch.arange(x.shape[1]) == lengths[:, None]).long()

    x, lengths = torch.randn(3, 9), torch.tensor([2, 9, 0])
    draws = ([x, lengths], [x, lengths.flip(0)])
    assert lengths_of(reference(kept), draws, {}) == {1: 9}
    assert lengths_of(reference(kept), (draws[0], [x, lengths + 1]), {}) == {}
    assert lengths_of(reference(equal), draws, {}) == {}
    assert lengths_of(reference(kept), ([x, x], [x, x]), {}) == {}
    clamped = no_longer_than([x, torch.tensor([-4, 2**40, 3])], {1: 9})[1]
    assert isinstance(clamped, torch.Tensor)
    assert clamped.tolist() == [0, 9, 3]
