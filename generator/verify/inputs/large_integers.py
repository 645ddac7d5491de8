"""Puts integers as large as they go into an op's inputs, where sums of them are among what floats."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.operators import words
from ..reference.oracle import Reference
from ..reference.wrapping import wraps
from .domain import operators_of
from .integers import is_answered, is_whole
from .wide_integers import PICKS_BITS, RECKONS, reckoned_by

IN_32_BITS = "integers alike in 32 bits"


def large_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with whole numbers of the signs that they have as shipped, so large that none of the
    reference's own runs over, where it adds them up and something floats among its results: a sum of fewer
    bits runs over there, and one in float32 is not exact. None where it does anything but reckon with them,
    picks out their bits or takes a remainder, or has no answer."""
    names = reckoned_by(reference, inputs, state, RECKONS - PICKS_BITS)
    if names is None or names.isdisjoint(_SUMS) or "remainder" in operators_of(reference, inputs, state):
        return None
    for bits in _BITS:
        changed = [_large(one, bits, generator) if is_whole(one) else one for one in inputs]
        if not wraps(reference, changed, state):
            return changed if is_answered(reference.tried(changed, state)) else None
    return None


def alike_in_32_bits(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers of 64 bits each is some times 2^32 more, where the reference does nothing
    but reckon with them, sums or differences too: what the lower 32 bits say is as before. None likewise."""
    names = reckoned_by(reference, inputs, state, RECKONS - PICKS_BITS)
    if names is None or names.isdisjoint(_SUMS):
        return None
    changed = [
        one + (torch.randint(0, _TURNS, one.shape, generator=generator) << 32)
        if is_whole(one) and one.dtype == torch.int64
        else one
        for one in inputs
    ]
    moved = any(one is not was for one, was in zip(changed, inputs, strict=True))
    if not moved or wraps(reference, changed, state):
        return None
    return changed if is_answered(reference.tried(changed, state)) else None


_TURNS = 4
"""Through 32 bits, and one less."""

_SUMS, _BITS = words("add sub rsub sum"), (62, 40, 30, 28, 26, 24, 22)


def _large(value: torch.Tensor, bits: int, generator: torch.Generator) -> torch.Tensor:
    """From half of the largest number of so many bits on."""
    ends = torch.iinfo(value.dtype)
    bits = min(bits, ends.bits - (ends.min < 0))
    drawn = torch.randint(1 << (bits - 1), 1 << bits, value.shape, generator=generator)
    if bool((value < 0).any()):
        drawn = drawn * (torch.randint(0, 2, value.shape, generator=generator) * 2 - 1)
    return drawn.to(value.dtype)
