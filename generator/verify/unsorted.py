"""Puts places that an op file draws in order out of it, where the reference takes any order."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...profiling.build import Input
from .oracle import Reference
from .places import Uses, rises


def unsorted(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with each tensor of integers that rises throughout in another order. None where there is none,
    or the reference does anything with one but to look up or to add up at the places it names: where rows
    begin, say, has an order that must be kept."""
    changed = [_shuffled(one, generator) if rises(one) else one for one in inputs]
    sorted_ones = [one for one in inputs if rises(one)]
    if not sorted_ones:
        return None
    with Uses(sorted_ones) as uses:
        answer = reference.tried(inputs, state)
    if answer is None or uses.otherwise or reference.tried(changed, state) is None:
        return None
    return changed


def _shuffled(value: Input, generator: torch.Generator) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value[torch.randperm(len(value), generator=generator)]
