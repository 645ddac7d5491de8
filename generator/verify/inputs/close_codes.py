"""Sets packed codes to their largest, and the zero points that are taken from them next to it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .integers import floats_out, is_answered, is_whole
from .places import rises
from .wide_integers import PICKS_BITS, RECKONS, Reckoned


def close_codes(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose words of packed codes have all bits, where floating results are reckoned from them, and
    whose other integers have all bits that the largest of them needs, half of them less one: differences of
    two such are small, and a product with each of the two, rounded for itself, leaves little of them. None
    where there are not both."""
    whole = [place for place, one in enumerate(inputs) if is_whole(one)]
    packed = [place for place in whole if _is_picked(reference, inputs, state, inputs[place])]
    others = [one for place, one in enumerate(inputs) if place not in packed and is_whole(one)]
    if not packed or not others or any(map(rises, others)):
        return None
    with Reckoned(others, RECKONS - PICKS_BITS) as uses:
        answer = reference.tried(inputs, state)
    if answer is None or not floats_out(answer) or uses.otherwise:
        return None
    changed = list(inputs)
    for place in whole:
        one = inputs[place]
        assert is_whole(one)
        less = (torch.randperm(one.numel(), generator=generator).view(one.shape) % 2).to(one.dtype)
        changed[place] = (
            torch.full_like(one, _all_bits(one.dtype)) if place in packed else _filled(int(one.max())) - less
        )
    return changed if is_answered(reference.tried(changed, state)) else None


def _filled(largest: int) -> int:
    """Of 6 bits, 63, whatever is the largest of a few."""
    return (1 << largest.bit_length()) - 1


def _all_bits(dtype: torch.dtype) -> int:
    ends = torch.iinfo(dtype)
    return -1 if ends.min < 0 else ends.max


def _is_picked(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], value: Input
) -> bool:
    """Whether bits are picked out of an input, and nothing but reckoned from them."""
    assert is_whole(value)
    with Reckoned([value], RECKONS) as uses:
        reference.tried(inputs, state)
    return bool(uses.names & PICKS_BITS) and not uses.otherwise
