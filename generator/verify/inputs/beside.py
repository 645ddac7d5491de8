"""Puts NaN right beside what one value of the output takes, where a tile that is wider reads on: the sample
behind a window, the next row, the next column."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Reference
from .draws import one_nan
from .families import floats

_TRIES = 4
"""Values of the output, of which some take an input's first number or last."""

_BEFORE, _BEHIND = 0, -1
"""Which of the places that a value takes the NaN stands next to."""


def nan_beside(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with NaN behind the last number of each, as they lie in memory, that one value of the output
    takes, and before the first that another takes; None where there is no place that leaves the value one."""
    answer = reference.tried(inputs, state)
    if answer is None or not answer.outputs or not answer.outputs[0].numel():
        return None
    given = list(inputs)
    for side in (_BEHIND, _BEFORE):
        for value in torch.randint(0, answer.outputs[0].numel(), (_TRIES,), generator=generator).tolist():
            changed = [
                _spoilt(one, side, reference.gradient(inputs, state, place, value)) if floats(one) else one
                for place, one in enumerate(given)
            ]
            left = reference.tried(changed, state)
            if left is not None and not bool(left.outputs[0].reshape(-1)[value].isnan()):
                given = changed
                break
    return None if all(one is was for one, was in zip(given, inputs, strict=True)) else given


def nan_alone(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` with NaN in one that floats, by its turn, and nothing but zeros in the others: whoever skips
    products with zero leaves it out. None where there are not two, or the reference gives no NaN."""
    floating = [place for place, one in enumerate(inputs) if floats(one)]
    if len(floating) < 2 or turn >= len(floating):
        return None
    changed = [torch.zeros_like(one) if floats(one) else one for one in inputs]
    spoilt = one_nan(changed[floating[turn]], generator)  # type: ignore[arg-type]
    changed[floating[turn]] = spoilt.to(changed[floating[turn]].dtype)  # type: ignore[union-attr]
    answer = reference.tried(changed, state)
    seen = answer is not None and any(bool(widened(one).isnan().any()) for one in answer.outputs)
    return changed if seen else None


def _spoilt(given: torch.Tensor, side: int, gradient: torch.Tensor | None) -> torch.Tensor:
    taken = [] if gradient is None else gradient.contiguous().view(-1).nonzero().view(-1).tolist()
    spot = taken[side] + (1 if side == _BEHIND else -1) if taken else -1
    if not 0 <= spot < given.numel() or is_eight_bits(given):
        return given
    changed = given.contiguous().clone()
    changed.view(-1)[spot] = torch.nan
    return changed
