"""Integers at the ends of their type throughout: sums of products, and of what lies between, are largest."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from ..reference.wrapping import wraps
from .domain import operators_of
from .integers import floats_out, halved, is_whole, with_extremes
from .places import rises
from .wide_integers import PICKS_BITS, RECKONS, Reckoned


def opposed_ends(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose narrowest integers every other tensor is at the upper end throughout, and those
    between, from the first on, are at the lower end in every other row and at the upper one in the rest: each
    of a row's numbers is as far as can be from those that it meets, or their products all have one sign. None
    where fewer than two are nothing but reckoned with, or where a floating result comes of them."""
    whole = [one for one in inputs if is_whole(one)]
    least = min((torch.iinfo(one.dtype).bits for one in whole), default=0)
    narrow = [one for one in whole if torch.iinfo(one.dtype).bits == least]
    if len(narrow) < 2 or any(map(rises, narrow)):
        return None
    with Reckoned(narrow, RECKONS) as uses:
        usual = reference.tried(inputs, state)
    if usual is None or uses.otherwise or not uses.names or floats_out(usual):
        return None
    bits = not PICKS_BITS.isdisjoint(operators_of(reference, inputs, state))
    drawn = iter([_at_ends(one, turn % 2 == 0, bits) for turn, one in enumerate(narrow)])
    changed = [next(drawn) if any(one is other for other in narrow) else one for one in inputs]
    smaller = [halved(one) if one is not was else one for one, was in zip(changed, inputs, strict=True)]
    return next((found for found in (changed, smaller) if _holds(reference, found, state)), None)


def either_end(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers each is the smallest or the largest of its type, by chance: what lies in the
    middle of its neighbours is at one end, and a number beside it at the other, farther off than the type
    tells. None where `extreme_integers` has none."""

    def drawn(value: torch.Tensor, turn: int) -> torch.Tensor:
        ends = torch.iinfo(value.dtype)
        upper = torch.randint(0, 2, value.shape, generator=generator) > 0
        return torch.full(value.shape, ends.min, dtype=value.dtype).masked_fill(upper, ends.max)

    return with_extremes(reference, inputs, state, drawn)


def _holds(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    return reference.tried(inputs, state) is not None and not wraps(reference, inputs, state)


def _at_ends(value: torch.Tensor, turns: bool, bits: bool) -> torch.Tensor:
    """The lower end is as odd as the upper one, so that no power of two is a factor of products: a sum of
    them needs all its digits. Of bits it has none, and the upper one all."""
    ends = torch.iinfo(value.dtype)
    lower, upper = (0, -1) if bits and ends.min < 0 else (-ends.max if ends.min < 0 else 0, ends.max)
    found = torch.full_like(value, upper, memory_format=torch.contiguous_format)
    if turns:
        (found.view(-1, found.shape[-1]) if found.ndim > 1 else found.view(1, -1))[::2] = lower
    return found
