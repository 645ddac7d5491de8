"""Repeats the first half of an op's inputs in the second, or nearly: what is found there has a rival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from .families import floats

_LEAST = 4


def rows_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Along the first axis and the last of each floating input, where the reference gives integers: places,
    of which the first has to be told. None where it gives none."""
    if not _gives_places(reference, inputs, state):
        return None
    changed = [_twice(one, {0, one.ndim - 1}) if floats(one) else one for one in inputs]
    return changed if reference.tried(changed, state) is not None else None


def nearly_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise along the last two axes, each number of the second half off by 2^-12 of itself: where places
    are packed beside the leading bits of what they are compared by, the wrong one is found."""
    if not _gives_places(reference, inputs, state):
        return None
    changed = list[Input]()
    for one in inputs:
        if not floats(one) or not one.ndim:
            changed.append(one)
            continue
        twice = _twice(one, {one.ndim - 1, max(0, one.ndim - 2)})
        sign = torch.randint(0, 2, one.shape, generator=generator) * 2 - 1
        exact = widened(twice)
        changed.append(torch.where(widened(one) == exact, exact, exact * (1 + sign * _OFF)).to(one.dtype))
    return changed if reference.tried(changed, state) is not None else None


_OFF = 2.0**-12


def _gives_places(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    answer = reference.tried(inputs, state)
    return answer is not None and not all(one.is_floating_point() for one in answer.outputs)


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
