"""Gives a call what the first of many is given: state among the inputs that is nothing yet."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.operators import cancels, words
from ..reference.oracle import Reference
from .domain import operators_of
from .families import CLOSE_IN, FAINT, floats
from .integers import is_answered

_DIVIDES = words("div reciprocal rsqrt")
"""Where an epsilon counts, it stands below one of these."""


def fresh_state(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which those that the reference changes in place, moments and a step, are nothing yet, and
    the others that float 2^-16 of what they were: what is added to a moment does not vanish in it, and is
    small beside an epsilon. None where it changes nothing that floats, or has no number then."""
    ran = reference.tried(inputs, state) if any(map(floats, inputs)) else None
    if ran is None:
        return None
    pairs = list(zip(inputs, ran.inputs, strict=True))
    kept = [isinstance(one, torch.Tensor) and not _same(one, now) for one, now in pairs]
    if not any(keeps and floats(one) for keeps, one in zip(kept, inputs, strict=True)):
        return None
    operators = operators_of(reference, inputs, state)
    if _DIVIDES.isdisjoint(operators) or cancels(operators):
        return None
    changed = [_fresh(one, keeps) for one, keeps in zip(inputs, kept, strict=True)]
    return changed if is_answered(reference.tried(changed, state)) else None


def _same(one: torch.Tensor, now: Input) -> bool:
    return isinstance(now, torch.Tensor) and torch.equal(one, now)


def _fresh(value: Input, keeps: bool) -> Input:
    if keeps and isinstance(value, torch.Tensor) and value.dtype != torch.bool:
        return torch.zeros_like(value)
    return value * 2.0 ** CLOSE_IN[FAINT] if floats(value) else value
