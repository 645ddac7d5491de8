"""Gives what stands beside an op's largest input numbers that change nothing: a scale of one, no penalty."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .families import floats
from .integers import is_answered

NEUTRAL = "neutral numbers beside"


def neutral(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose floating tensors those with fewer axes than the largest hold zeros and ones in all
    combinations: the first turns with every element, the second with every other one, and so on. Ones and
    twos where the reference has no number for zero; shares, whose rows have a sum of one, stay. None where
    there are no such tensors, or the reference has a number for neither."""
    floating = [one for one in inputs if floats(one) and one.numel()]
    axes = max(floating, key=torch.numel).ndim if floating else 0
    changed, turn = list(inputs), 0
    for place, one in enumerate(inputs):
        if not floats(one) or not 0 < one.ndim < axes or not one.numel() or _are_shares(one):
            continue
        bits = (torch.arange(one.numel()).reshape(one.shape) >> turn) % 2
        for least in (0, 1):
            given = [*changed[:place], (bits + least).to(one.dtype), *changed[place + 1 :]]
            if is_answered(reference.tried(given, state)):
                changed, turn = given, turn + 1
                break
    return changed if turn else None


def _are_shares(value: torch.Tensor) -> bool:
    total = value.float().sum(-1)
    return value.shape[-1] > 1 and bool((total - 1).abs().max() < _NEAR)


_NEAR = 1e-2
