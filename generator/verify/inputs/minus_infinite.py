"""Scores of minus infinity, as somebody has left them out: here and there, in several inputs at once, and all
of a row but its first."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.operators import passes_nan
from ..reference.oracle import Reference
from .domain import is_positive, operators_of
from .extremes import is_finite
from .families import EXPONENTIAL, SORTS, floats


def minus_infinite_in(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """Every eighth value of one floating input minus infinity, or fewer, the first of each row apart, as
    scores that somebody has left out are; None where it is positive throughout, where the reference takes no
    exponentials and puts nothing in order, or has no numbers then, of what is in order no NaN."""
    floating = [place for place, one in enumerate(inputs) if floats(one)]
    operators = operators_of(reference, inputs, state) if turn < len(floating) else frozenset[str]()
    if (EXPONENTIAL | SORTS).isdisjoint(operators):
        return None
    has_numbers = is_finite if SORTS.isdisjoint(operators) else _is_below_infinity
    changed = list(inputs)
    value = changed[floating[turn]]
    if not floats(value) or value.ndim == 0 or is_positive(value):
        return None
    for share in _LEFT_OUT:  # where a few are looked at, classes say, most draws hit one of them
        out = torch.rand(value.shape, generator=generator) < max(share, 3 / value.numel())
        out[..., 0] = False
        changed[floating[turn]] = value.masked_fill(out, -torch.inf)
        answer = reference.tried(changed, state) if bool(out.any()) else None
        if answer is not None and all(map(has_numbers, answer.outputs)):
            return changed
    return None


def minus_infinite_but_first(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Every other row of the first floating input minus infinity, but for its first value: who takes out what
    was chosen finds it again. None where it is positive throughout, the reference puts nothing in order, some
    of it without saying which of equals is first, or has no numbers then."""
    place = next((place for place, one in enumerate(inputs) if floats(one) and one.ndim > 0), None)
    value = None if place is None else inputs[place]
    operators = operators_of(reference, inputs, state)
    if not floats(value) or is_positive(value) or SORTS.isdisjoint(operators) or "topk" in operators:
        return None
    changed = value.contiguous().clone()
    changed.view(-1, value.shape[-1])[::2, 1:] = -torch.inf
    given = [changed if one is value else one for one in inputs]
    answer = reference.tried(given, state)
    return given if answer is not None and all(map(_is_below_infinity, answer.outputs)) else None


def minus_infinite_together(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Every eighth value of the first floating input minus infinity, the first of each row
    apart, and of all others of its shape those at the same places: what is added up in logarithms is nothing
    of either. None where there are not two such or one is positive throughout, where the reference takes no
    exponentials, or compares anything, or gives NaN or plus infinity."""
    first = next((one for one in inputs if floats(one) and one.ndim > 0), None)
    alike = [first is not None and floats(one) and one.shape == first.shape for one in inputs]
    if first is None or sum(alike) < 2 or any(map(is_positive, compress(inputs, alike))):
        return None
    operators = operators_of(reference, inputs, state)
    if EXPONENTIAL.isdisjoint(operators) or not passes_nan(operators - EXPONENTIAL):
        return None
    out = torch.rand(first.shape, generator=generator) < _LEFT_OUT[0]
    out[..., 0] = False
    changed = [
        one.masked_fill(out, -torch.inf) if is_alike and floats(one) else one
        for one, is_alike in zip(inputs, alike, strict=True)
    ]
    answer = reference.tried(changed, state) if bool(out.any()) else None
    return changed if answer is not None and all(map(_is_below_infinity, answer.outputs)) else None


def _is_below_infinity(output: torch.Tensor) -> bool:
    """Neither NaN nor plus infinity."""
    return bool((widened(output) < torch.inf).all())


_LEFT_OUT = (1 / 8, 1 / 32, 1 / 128, 0.0)
