"""Gives an op's inputs other sizes than its instance was made for, where the reference still has an answer:
no rows or columns at all, or twice as many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ...profiling.build import Input
from .eight_bits import widened
from .layout import EMPTY, MORE, Layout
from .oracle import Reference

_AXES: Mapping[Layout, int] = {"no rows": 0, "no columns": -1}


def resized(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], layout: Layout
) -> list[Input] | None:
    """`inputs` as `layout` has them; None where the reference has no answer to that."""
    return doubled(reference, inputs, state) if layout == MORE else emptied(reference, inputs, state, layout)


def doubled(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with every row a second time, the last one first."""
    rows = next((len(one) for one in inputs if isinstance(one, torch.Tensor) and one.ndim > 0), 0)
    if rows < 2:
        return None
    changed = [
        torch.cat([one, one.flip(0)])
        if isinstance(one, torch.Tensor) and one.ndim > 0 and len(one) == rows
        else one
        for one in inputs
    ]
    return changed if reference.tried(changed, state) is not None else None


def emptied(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], layout: Layout
) -> list[Input] | None:
    """`inputs` without rows (or columns): every axis that is as long as the first tensor's first (or last)
    has no element left. None where the reference raises at it, or has no number for it: torch's own answer
    to a mean of nothing is NaN, and kernels may divide as they like."""
    assert layout in EMPTY
    first = next((one for one in inputs if isinstance(one, torch.Tensor) and one.ndim > 0), None)
    if first is None or (layout == "no columns" and first.ndim < 2):
        return None
    length = first.shape[_AXES[layout]]
    changed = [_without(one, length) if isinstance(one, torch.Tensor) else one for one in inputs]
    answer = reference.tried(changed, state)
    if answer is None or not all(bool(widened(output).isfinite().all()) for output in answer.outputs):
        return None
    return changed


def _without(value: torch.Tensor, length: int) -> torch.Tensor:
    for axis, size in enumerate(value.shape):
        if size == length:
            value = value.narrow(axis, 0, 0)
    return value.clone()
