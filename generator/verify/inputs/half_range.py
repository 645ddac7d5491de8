"""Fills the range of float16: inputs as large as an op's results leave room for."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from .domain import is_positive

_ROOM = 4.0
"""Times the largest result that float16 still holds: other draws are larger."""

_POWERS = range(13, 3, -1)


def half_range(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which the first floating one, of float16, is multiplied by the largest power of two with
    which it and all results are finite, and a quarter of that range at most: sums of products that are kept
    in float16 before a scale makes them small again pass its end. None where no such power is beyond 8."""
    place = next((place for place, one in enumerate(inputs) if _is_half(one)), None)
    if place is None or is_positive(inputs[place]):
        return None
    for power in _POWERS:
        changed = [*inputs[:place], inputs[place] * 2.0**power, *inputs[place + 1 :]]  # type: ignore[operator]
        answer = reference.tried(changed, state)
        if answer is not None and all(map(_fits, (changed[place], *answer.outputs))):
            return changed
    return None


def _is_half(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == torch.float16 and value.numel() > 1


def _fits(value: Input) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return True
    return bool(widened(value).abs().max() <= torch.finfo(torch.float16).max / _ROOM)
