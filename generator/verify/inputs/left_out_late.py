"""Leaves out scores that lie together: whole tiles of what is taken together are minus infinity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .domain import is_positive, operators_of
from .extremes import is_finite
from .families import EXPONENTIAL, floats


def left_out_late(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which the first floating one that is not positive throughout is minus infinity in the later
    half of each sample, or else of each row. None where the reference takes no exponentials, or has no
    numbers then."""
    place = next((place for place, one in enumerate(inputs) if floats(one) and not is_positive(one)), None)
    if place is None or EXPONENTIAL.isdisjoint(operators_of(reference, inputs, state)):
        return None
    value = inputs[place]
    assert isinstance(value, torch.Tensor)
    for late in _late(value.contiguous()):
        changed = [*inputs[:place], late, *inputs[place + 1 :]]
        answer = reference.tried(changed, state)
        if answer is not None and all(map(is_finite, answer.outputs)):
            return changed
    return None


def _late(value: torch.Tensor) -> Iterator[torch.Tensor]:
    for samples in (value.shape[:1], value.shape[:2], value.shape[:-1]):
        moved = value.clone()
        rows = moved.view(*samples, -1) if value.ndim else moved.view(1, 1)
        if rows.shape[-1] > 1:
            rows[..., rows.shape[-1] // 2 :] = -torch.inf
            yield moved
