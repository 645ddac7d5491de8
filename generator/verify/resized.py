"""Gives an op's inputs other sizes than its instance was made for, where the reference still has an answer:
no rows or columns at all, twice as many rows, or another axis twice as long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch

from ...profiling.build import Input
from .eight_bits import widened
from .layout import EMPTY, Layout
from .oracle import Reference

_AXES: Mapping[Layout, int] = {"no rows": 0, "no columns": -1}


def doubled(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with every row a second time, the last one first; None where the reference has no answer."""
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


def lengthened(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> Iterator[tuple[int, list[Input]]]:
    """For each axis of the first tensor but its rows: the axis, and `inputs` of which all that is as long is
    twice as long, wherever the reference has a finite answer to it."""
    first = next((one for one in inputs if isinstance(one, torch.Tensor)), None)
    if first is None:
        return
    for axis in range(1, first.ndim):
        changed = [_twice(one, first.shape[axis]) if isinstance(one, torch.Tensor) else one for one in inputs]
        if first.shape[axis] > 1 and _has_answer(reference, changed, state):
            yield axis, changed


def _twice(value: torch.Tensor, length: int) -> torch.Tensor:
    for axis in range(1, value.ndim):
        if value.shape[axis] == length:
            value = torch.cat([value, value.flip(axis)], axis)
    return value.clone()


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
    return changed if _has_answer(reference, changed, state) else None


def _has_answer(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    """And a finite one, with NaN in the place of what torch has not written: some of its losses leave a mean
    of nothing as they find it."""
    were, warned = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    )
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        answer = reference.tried(inputs, state)
    finally:
        torch.use_deterministic_algorithms(were, warn_only=warned)
    return answer is not None and all(bool(widened(output).isfinite().all()) for output in answer.outputs)


def _without(value: torch.Tensor, length: int) -> torch.Tensor:
    for axis, size in enumerate(value.shape):
        if size == length:
            value = value.narrow(axis, 0, 0)
    return value.clone()
