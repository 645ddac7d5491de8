"""Integers that are numbers, all of them zero: what is skipped there is to be written all the same."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .integers import is_answered, is_whole
from .wide_integers import RECKONS, Reckoned


def zero_integers_in(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which one tensor of integers, by its turn among them, is zero throughout: an image that is
    transparent everywhere, say. None where the reference does anything but reckon with it, or has no number
    for it."""
    whole = [place for place, one in enumerate(inputs) if is_whole(one)]
    if turn >= len(whole):
        return None
    place = whole[turn]
    value = inputs[place]
    assert isinstance(value, torch.Tensor)
    with Reckoned([value], RECKONS) as uses:
        reference.tried(inputs, state)
    if not uses.names or uses.otherwise:
        return None
    changed = [*inputs[:place], torch.zeros_like(value), *inputs[place + 1 :]]
    return changed if is_answered(reference.tried(changed, state)) else None
