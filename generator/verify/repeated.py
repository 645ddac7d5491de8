"""Repeats the first half of an op's inputs in the second: what is found there is found again, far off."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...profiling.build import Input
from .families import floats
from .oracle import Reference

_LEAST = 4


def rows_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Along the first axis and the last of each floating input, where the reference gives integers: places,
    of which the first has to be told. None where it gives none."""
    answer = reference.tried(inputs, state)
    if answer is None or all(one.is_floating_point() for one in answer.outputs):
        return None
    changed = [_twice(one) if floats(one) else one for one in inputs]
    return changed if reference.tried(changed, state) is not None else None


def _twice(value: torch.Tensor) -> torch.Tensor:
    moved = value.contiguous().clone()
    for axis in {0, value.ndim - 1} if value.ndim else ():
        half = value.shape[axis] // 2
        if value.shape[axis] >= _LEAST:
            moved.narrow(axis, half, half).copy_(moved.narrow(axis, 0, half).clone())
    return moved
