"""Places drawn in order are judged out of it, unless the reference takes the order for granted."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.unsorted import nearly_sorted, unsorted
from kbgen.generator.verify.reference.oracle import Reference

X = torch.arange(24.0).view(12, 2)
PLACES = torch.tensor([0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 5, 5])


class AddedUp(nn.Module):
    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x.new_zeros(6, 2).index_add(0, places, x)


class LookedUp(nn.Module):
    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return x[places.view(3, 4).long()]


class Between(nn.Module):
    """Rows from one place to the next."""

    def forward(self, x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return torch.repeat_interleave(x[:11], places.diff(), dim=0)


def changed(model: nn.Module, places: torch.Tensor = PLACES) -> torch.Tensor | None:
    drawn = unsorted(Reference(model, "as-is"), [X, places], {}, torch.Generator().manual_seed(0))
    if drawn is None:
        return None
    assert drawn[0] is X
    moved = drawn[1]
    assert isinstance(moved, torch.Tensor)
    return moved


def test_places_to_add_up_at_or_to_look_up_lose_their_order_and_nothing_else() -> None:
    for model in (AddedUp(), LookedUp()):
        for places in (PLACES, PLACES.int()) if isinstance(model, LookedUp) else (PLACES,):
            moved = changed(model, places)
            assert moved is not None
            assert moved.dtype == places.dtype
            assert not torch.equal(moved, places)
            assert torch.equal(moved.sort().values, places)


def test_an_order_that_the_reference_reckons_with_stays() -> None:
    assert changed(Between()) is None


def test_places_without_an_order_stay() -> None:
    assert changed(AddedUp(), PLACES.flip(0)) is None
    assert changed(AddedUp(), torch.zeros(12, dtype=torch.int64)) is None


def test_rows_to_sort_rise_but_for_neighbours() -> None:
    keys = torch.randperm(32).view(2, 16)
    drawn = nearly_sorted(Reference(Sorted(), "as-is"), [keys], {}, torch.Generator().manual_seed(0))
    assert drawn is not None
    steps = torch.as_tensor(drawn[0]).diff()
    assert bool((steps < 0).any(-1).all())
    assert bool((torch.as_tensor(drawn[0])[:, ::4].diff() > 0).all())
    assert torch.equal(torch.as_tensor(drawn[0]).sort().values, keys.sort().values)
    assert nearly_sorted(Reference(AddedUp(), "as-is"), [X, PLACES], {}, torch.Generator()) is None


class Sorted(nn.Module):
    def forward(self, keys: torch.Tensor) -> torch.Tensor:
        return keys.sort(-1).values
