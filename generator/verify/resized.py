"""Gives an op's inputs other sizes than its instance was made for, where the reference still has an answer:
no rows or columns at all, twice as many rows or one, or another axis twice as long or of one element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import torch

from ...profiling.build import Input
from .eight_bits import widened
from .layout import EMPTY, Layout
from .oracle import Reference

_AXES: Mapping[Layout, int] = {"no rows": 0, "no columns": -1}


def other_rows(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> Iterator[tuple[str, list[Input]]]:
    """`inputs` with every row a second time, the last one first, and with a single row; each with a name,
    where the reference has an answer. Rows are what the first tensor's first axis counts."""
    rows = next((len(one) for one in inputs if isinstance(one, torch.Tensor) and one.ndim > 0), 0)
    if rows < 2:
        return
    for told, change in (
        ("more rows", lambda one: torch.cat([one, one.flip(0)])),
        ("one row", lambda one: one[:1]),
    ):
        changed = [
            change(one).clone()
            if isinstance(one, torch.Tensor) and one.ndim > 0 and len(one) == rows
            else one
            for one in inputs
        ]
        if _has_answer(reference, changed, state):
            yield told, changed


def other_lengths(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> Iterator[tuple[str, list[Input]]]:
    """For the second axis of the first tensor and its last: `inputs` of which all that is as long is twice as
    long, or has one element; each with a name, wherever the reference has a finite answer to it."""
    first = next((one for one in inputs if isinstance(one, torch.Tensor)), None)
    if first is None:
        return
    for axis in sorted({1, first.ndim - 1} - {0}) if first.ndim > 1 else ():
        for told, change in (("twice as long", _twice), ("of one element", _once)):
            changed = [
                _along(one, first.shape[axis], change) if isinstance(one, torch.Tensor) else one
                for one in inputs
            ]
            if first.shape[axis] > 1 and _has_answer(reference, changed, state):
                yield f"axis {axis} {told}", changed


def _along(
    value: torch.Tensor, length: int, change: Callable[[torch.Tensor, int], torch.Tensor]
) -> torch.Tensor:
    for axis in range(1, value.ndim):
        if value.shape[axis] == length:
            value = change(value, axis)
    return value.clone()


def _twice(value: torch.Tensor, axis: int) -> torch.Tensor:
    return torch.cat([value, value.flip(axis)], axis)


def _once(value: torch.Tensor, axis: int) -> torch.Tensor:
    return value.narrow(axis, 0, 1)


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
