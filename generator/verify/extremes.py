"""Puts extremes into an op's inputs: the ends of integers, masks that take everything and nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import torch

from ...profiling.build import Input
from .oracle import Reference


def extreme_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of the smallest number and one of the largest in each tensor of integers.

    None where there is none, the reference takes them for places or classes, or what it gives is floating.
    """
    changed = [_with_rows(one, *_ends(one)) if _whole(one) else one for one in inputs]
    outputs = _outputs(reference, changed, state) if any(map(_whole, inputs)) else None
    if outputs is None or any(output.is_floating_point() for output in outputs):
        return None
    return changed


def whole_masks(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of each mask that takes nothing and one that takes all; None where there is
    none, or the reference has no number for it."""
    changed = [_with_rows(one, False, True) if _mask(one) else one for one in inputs]
    outputs = _outputs(reference, changed, state) if any(map(_mask, inputs)) else None
    if outputs is None or not all(bool(output.isfinite().all()) for output in outputs):
        return None
    return changed


def _outputs(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[torch.Tensor] | None:
    with contextlib.suppress(Exception):  # an index that is out of range
        return reference.eager(inputs, state).outputs
    return None


def _mask(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > 1 and value.dtype == torch.bool


def _whole(value: Input) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.numel() > 1
        and not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    )


def _ends(value: Input) -> tuple[int, int]:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    return ends.min, ends.max


def _with_rows(value: Input, first: int, last: int) -> Input:
    """A copy whose first row, or element where it has no rows, is `first` throughout, and its last `last`."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    rows[0], rows[-1] = first, last
    return moved
