"""Integers of either sign where a remainder of what is made of them names a row."""

from collections.abc import Callable

import torch
from torch import nn

from kbgen.generator.verify.inputs.wide_integers import hashed_integers
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.reference.wrapping import wraps

DRAW = torch.Generator().manual_seed(0)
IDS = torch.randint(0, 100000, (32, 6), generator=DRAW)
TABLE = torch.randn(301, 4, generator=DRAW)


class Hashed(nn.Module):
    def __init__(self, slots: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.slots = slots

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return TABLE[self.slots(ids)].sum(1)


def _crossed(ids: torch.Tensor) -> torch.Tensor:
    return (ids[:, :-1] * 1000003 + ids[:, 1:]) % len(TABLE)


def test_what_is_multiplied_before_a_remainder_takes_either_sign_and_does_not_wrap() -> None:
    reference = Reference(Hashed(_crossed), "as-is")
    for ids in (IDS, IDS.int()):
        changed = hashed_integers(reference, [ids], {}, DRAW)
        assert changed is not None
        (moved,) = changed
        assert isinstance(moved, torch.Tensor)
        assert 0.3 < float((moved < 0).float().mean()) < 0.7
        assert not wraps(reference, changed, {})


def test_neither_places_whose_remainder_alone_is_taken_nor_places_from_the_end() -> None:
    assert hashed_integers(Reference(Hashed(lambda ids: ids % len(TABLE)), "as-is"), [IDS], {}, DRAW) is None
    from_the_end = Hashed(lambda ids: torch.fmod(ids * 7 + ids % 2, len(TABLE)))
    assert hashed_integers(Reference(from_the_end, "as-is"), [IDS], {}, DRAW) is None


def _after_another(ids: torch.Tensor) -> torch.Tensor:
    before = nn.functional.pad(ids, (1, 0))[:, :-1]
    return (ids * 8191 + before * 131) % len(TABLE)


def test_products_are_as_large_as_no_double_holds_beside_what_a_row_is_filled_up_with() -> None:
    reference = Reference(Hashed(_after_another), "as-is")
    changed = hashed_integers(reference, [IDS], {}, DRAW)
    assert changed is not None
    (moved,) = changed
    assert isinstance(moved, torch.Tensor)
    assert int(moved.abs().max()) * 8191 > 1 << 53
    assert not wraps(reference, changed, {})
