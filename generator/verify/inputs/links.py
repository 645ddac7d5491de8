"""Puts integers into an op's inputs that only whole comparisons and long walks tell apart from others."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.oracle import Reference
from .integers import floats_out, is_answered, is_whole

_WORD = 32

_CHAIN = 8
"""Places from which a chain is longer than what chance makes of most."""


def high_words(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs`, one row further on, of which 64-bit integers differ in their upper halves, too, and some in
    nothing else. None where there are none, the reference takes them for places or classes, or what it gives
    is floating."""
    wide = [is_whole(one) and one.dtype == torch.int64 for one in inputs]
    if not any(wide):
        return None
    changed = [
        one.roll(1, 0) + (torch.randint(0, 2, one.shape, generator=generator) << _WORD)
        if moves and isinstance(one, torch.Tensor) and not names_classes(reference, inputs, state, one)
        else one
        for one, moves in zip(inputs, wide, strict=True)
    ]
    answer = reference.tried(changed, state)
    return changed if answer is not None and not floats_out(answer) else None


def chained(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which integers that name places of their own row name the one before, and the first none
    before itself: parents of a tree that is one long branch. None where there are none such, or the reference
    has no answer."""
    changed = [
        _one_branch(one)
        if is_whole(one) and names_own(one) and not names_classes(reference, inputs, state, one)
        else one
        for one in inputs
    ]
    if all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return changed if is_answered(reference.tried(changed, state)) else None


def names_own(value: torch.Tensor) -> bool:
    """Whether its numbers are places before their own, as a tree's parents are."""
    length = value.shape[-1]
    earlier = value <= torch.arange(length).to(value.dtype)
    return length > _CHAIN and bool(earlier.all()) and int(value.max()) > 0 and not _rises(value)


def _rises(value: torch.Tensor) -> bool:
    return bool((value[..., 1:] >= value[..., :-1]).all())


def _one_branch(value: torch.Tensor) -> torch.Tensor:
    places = torch.arange(-1, value.shape[-1] - 1).to(value.dtype).expand(value.shape).clone()
    places[..., 0] = value[..., 0]
    return places
