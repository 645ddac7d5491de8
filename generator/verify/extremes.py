"""Puts the smallest and the largest numbers of their type into an op's inputs of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...profiling.build import Input
from .oracle import Reference


def extreme_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of the smallest number and one of the largest in each tensor of integers; None where
    there is no such tensor, the reference takes them for places or classes, or what it gives is floating."""
    changed = [_with_ends(one) if _whole(one) else one for one in inputs]
    if not any(map(_whole, inputs)):
        return None
    try:
        outputs = reference.eager(changed, state).outputs
    except Exception:  # an index that is out of range
        return None
    return changed if all(not output.is_floating_point() for output in outputs) else None


def _whole(value: Input) -> bool:
    return (
        isinstance(value, torch.Tensor)
        and value.numel() > 1
        and not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    )


def _with_ends(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    rows[0], rows[-1] = ends.min, ends.max
    return moved
