"""Puts places that an op file draws in order out of it, and what a reference sorts nearly into it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.oracle import Reference
from .domain import operators_of
from .families import SORTS
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


def nearly_sorted(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose rows rise but for neighbours, every other two of which have changed places: whoever
    looks at some of them takes them for sorted. None where the reference sorts nothing."""
    if SORTS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    changed = [_nearly(one) if isinstance(one, torch.Tensor) and one.ndim else one for one in inputs]
    return None if reference.tried(changed, state) is None else changed


def _nearly(value: torch.Tensor) -> torch.Tensor:
    if value.is_complex() or value.dtype == torch.bool or is_eight_bits(value):
        return value
    moved = value.sort(-1).values.contiguous()
    first, second = moved[..., 1:-1:4].clone(), moved[..., 2::4].clone()
    moved[..., 1:-1:4], moved[..., 2::4] = second, first
    return moved


def _shuffled(value: Input, generator: torch.Generator) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value[torch.randperm(len(value), generator=generator)]
