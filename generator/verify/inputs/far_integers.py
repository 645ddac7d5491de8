"""Moves all integers far from zero, where a float has no two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.oracle import Reference
from .integers import floats_out

_FAR = {torch.int32: 1 << 28, torch.int64: 1 << 40}


def far_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with one large number added to all integers, which stay as far from each other as they were: a
    float32 has no two of them. None where there is none, the reference takes them for places or classes, or
    what it gives is floating."""
    far = [_may_be_far(one) and not names_classes(reference, inputs, state, one) for one in inputs]
    if not any(far):
        return None
    changed = [
        one + _FAR[one.dtype] if moves and isinstance(one, torch.Tensor) else one
        for one, moves in zip(inputs, far, strict=True)
    ]
    answer = reference.tried(changed, state)
    return None if answer is None or floats_out(answer) else changed


def _may_be_far(value: Input) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.dtype in _FAR and bool((value.abs() < 1 << 24).all())
