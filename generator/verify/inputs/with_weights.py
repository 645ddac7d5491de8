"""Inputs and added weights that tell something together: nothing beside them, near rivals beside equal ones,
places that one brings up and the other down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch

from ....profiling.build import Input
from ..reference.operators import RANKS
from ..reference.oracle import Reference
from .added_weights import added_only, below_zero
from .exponents import weights_as_exponents
from .families import EXPONENTIAL, floats
from .half_range import half_ends_beside_weights, half_range_beside_weights
from .idle_weights import (
    IDLE_FROM_ZERO,
    IDLE_ROWS,
    IDLE_WEIGHTS,
    idle_rows,
    idle_weights,
    idle_weights_from_zero,
)
from .repeated import nearly_twice

State = dict[str, torch.Tensor]
Found = tuple[list[Input], State] | None

ALONE = "added weights below zero, alone"
"""Nothing goes in beside them: small as what comes out is, it is all that there is."""


def _alone(reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator) -> Found:
    nothing = [torch.zeros_like(one) if floats(one) else one for one in inputs]
    changed = below_zero(reference, nothing, state, generator)
    return None if changed is None else (nothing, changed)


def _near_rivals(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Where places are what comes out, and weights are added to what they are found in: rivals would be near
    no longer. All of those weights are nothing."""
    names, _ = added_only(reference, inputs, state)
    level = {**state, **{name: torch.zeros_like(state[name]) for name in names}}
    near = nearly_twice(reference, inputs, level, generator) if names else None
    return None if near is None else (near, level)


_UP, _DOWN = 1000.0, -300.0
"""The sum comes first, and exponentials of others less what went in there overflow."""

_APART = 16.0
"""Between the sums of two that were brought up, beside usual inputs: which is larger no rounding decides."""


def _brought_up(
    rivals: bool, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """One place of each axis as long as an added weight is far below zero, and its weight brings it far
    above: what is largest by its sum is not so of itself. Or all places but one, as `rivals`: among all
    exponentials those of the chosen are nothing. Where things are ranked and exponentials taken."""
    names, operators = added_only(reference, inputs, state)
    names = [name for name in names if state[name].ndim == 1 and state[name].numel() > 1]
    if not names or RANKS.isdisjoint(operators) or EXPONENTIAL.isdisjoint(operators):
        return None
    moved, changed = [one.clone() if isinstance(one, torch.Tensor) else one for one in inputs], dict(state)
    for name in names:
        weight = state[name].clone()
        places = torch.randperm(weight.numel(), generator=generator)[: weight.numel() - 1 if rivals else 1]
        weight[places] = _UP + _APART * torch.arange(len(places))
        changed[name] = weight
        for value in filter(floats, moved):
            for axis in (axis for axis, size in enumerate(value.shape) if size == weight.numel()):
                there = value.index_select(axis, places) * rivals + _DOWN
                value.index_copy_(axis, places, there)
    return moved, changed


WITH_WEIGHTS: Mapping[str, Callable[[Reference, Sequence[Input], State, torch.Generator], Found]] = {
    ALONE: _alone,
    "near rivals without added weights": _near_rivals,
    "brought up by added weights": partial(_brought_up, False),
    "all but one brought up by added weights": partial(_brought_up, True),
    IDLE_ROWS: idle_rows,
    IDLE_WEIGHTS: idle_weights,
    IDLE_FROM_ZERO: idle_weights_from_zero,
    "weights as exponents": weights_as_exponents,
    "half range beside weights": half_range_beside_weights,
    "half ends beside weights": half_ends_beside_weights,
}
