"""Integers as large as no sum of the reference's runs over, where sums of them are among what floats."""

from collections.abc import Callable
from typing import Any

import torch

from kbgen.generator.verify.inputs.large_integers import alike_in_32_bits, large_integers
from kbgen.generator.verify.reference.wrapping import wraps

from .calls import reference

SHARES = torch.randint(-30000, 30001, (8, 64), dtype=torch.int32)


def large(function: Callable[..., Any], *inputs: torch.Tensor) -> list[torch.Tensor] | None:
    draw = torch.Generator().manual_seed(3)
    changed = large_integers(reference(function), list(inputs), {}, draw)
    return None if changed is None else [torch.as_tensor(one) for one in changed]


def decoded(shares: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    total = (shares - masks).sum(0, dtype=torch.int32)
    return total, total.float() / 65536


def test_sums_beside_floating_results_are_beyond_what_float32_holds_and_do_not_wrap() -> None:
    changed = large(decoded, SHARES, SHARES.flip(0))
    assert changed is not None
    assert all(one.dtype == torch.int32 for one in changed)
    assert not wraps(reference(decoded), changed, {})
    total = (changed[0] - changed[1]).sum(0, dtype=torch.int32)
    rounded = (changed[0] - changed[1]).float().cumsum(0)[-1].to(torch.int32)
    assert (total != rounded).float().mean() > 0.5


def test_numbers_of_64_bits_have_sums_beyond_32_and_no_sign_that_they_had_not() -> None:
    changed = large(lambda samples: samples.float() / samples.sum().float(), torch.randint(1, 5000, (24,)))
    assert changed is not None
    assert int(changed[0].min()) > 1 << 32


def test_places_bits_remainders_and_whole_results_alone_are_left_to_others() -> None:
    places, table = torch.randint(0, 8, (16,)), torch.randn(8, 4)
    assert large(lambda at: table[at].sum(0) + at.sum(), places) is None
    assert large(lambda one: (one & 15).float() + one.sum(), places) is None
    assert large(lambda one: (one % 7).float() + one.sum(), places) is None
    assert large(lambda one: one.sum(0), SHARES) is None
    assert large(lambda one: one.float() * 2, SHARES) is None


def test_what_the_lower_32_bits_say_is_as_before_where_places_on_a_line_are_subtracted() -> None:
    def near(places: torch.Tensor) -> torch.Tensor:
        return ((places[:, None] - places[None]).abs() < 50).sum(1).float()

    places, draw = torch.randint(0, 100, (16,)), torch.Generator().manual_seed(3)
    changed = alike_in_32_bits(reference(near), [places], {}, draw)
    assert changed is not None
    moved = torch.as_tensor(changed[0])
    assert torch.equal(moved & 0xFFFFFFFF, places)
    assert not torch.equal(near(moved), near(places))
    table = torch.randn(100, 4)
    assert alike_in_32_bits(reference(lambda at: table[at].sum(0) + at.sum()), [places], {}, draw) is None
    assert alike_in_32_bits(reference(near), [places.int()], {}, draw) is None
