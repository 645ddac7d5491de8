"""Repeats the first half of an op's inputs in the second: what is found there is found again, far off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .families import floats

_LEAST = 4


def rows_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Along the first axis and the last of each floating input, where the reference gives integers: places,
    of which the first has to be told. None where it gives none."""
    answer = reference.tried(inputs, state)
    if answer is None or all(one.is_floating_point() for one in answer.outputs):
        return None
    changed = [_twice(one, {0, one.ndim - 1}) if floats(one) else one for one in inputs]
    return changed if reference.tried(changed, state) is not None else None


def most_rows(state: Mapping[str, torch.Tensor]) -> int:
    """The greatest number of rows among weights."""
    return max((len(one) for one in state.values() if _has_rows(one)), default=0)


def state_twice(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of which the second half of the rows is the first once more: codes of a codebook, say."""
    return {name: _twice(one, {0}) if _has_rows(one) else one for name, one in state.items()}


def _has_rows(value: torch.Tensor) -> bool:
    return value.ndim > 1 and value.is_floating_point()


def _twice(value: torch.Tensor, axes: set[int]) -> torch.Tensor:
    moved = value.contiguous().clone()
    for axis in axes if value.ndim else ():
        half = value.shape[axis] // 2
        if value.shape[axis] >= _LEAST:
            moved.narrow(axis, half, half).copy_(moved.narrow(axis, 0, half).clone())
    return moved
