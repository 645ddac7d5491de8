"""Leaves an op's inputs without elements: no rows, no columns, or nothing in parts that divide rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ....profiling.build import Input
from ..process.layout import EMPTY, Layout
from ..reference.oracle import Ran, Reference
from .axes import UNKNOWN, Axes
from .offsets import without_elements
from .resized import has_answer

_AXES: Mapping[Layout, int] = {"no rows": 0, "no columns": -1}


def emptied(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    layout: Layout,
    axes: Axes = UNKNOWN,
) -> list[Input] | None:
    """`inputs` without rows (or columns): every axis that is as long as the first tensor's first (or last),
    which by `axes` is not written out beside named sizes, has no element left; or without elements in any
    part of a row that parts divide. None where the reference raises at it, or has no number for it: torch's
    own answer to a mean of nothing is NaN, and kernels may divide as they like."""
    assert layout in EMPTY
    if layout == "no elements":
        changed = without_elements(reference, inputs, state)
        return changed if changed is not None and has_answer(reference, changed, state) else None
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    first = next((one for one in tensors if one.ndim > 0), None)
    if first is None or (layout == "no columns" and first.ndim < 2):
        return None
    axis = _AXES[layout]
    length, number = first.shape[axis], next(n for n, one in enumerate(tensors) if one is first)
    if axes.writes_out(number, range(first.ndim)[axis], length):
        return None
    own = [_without_own(one, length, axis) if isinstance(one, torch.Tensor) else one for one in inputs]
    every = [_without(one, length) if isinstance(one, torch.Tensor) else one for one in inputs]
    for changed in (own, every):  # a filter's taps may be as many as there are rows, by chance
        answer = reference.tried(changed, state)
        if answer is None:
            continue
        usual = reference.tried(inputs, state)
        if (
            usual is None
            or _keeps_one(inputs, changed, usual, answer)
            or _shaped_otherwise(length, usual, answer)
        ):
            return None
        if len({output.numel() == 0 for output in answer.outputs}) > 1:
            return None  # a part of the answer alone is left, which nobody looks at
        return changed if has_answer(reference, changed, state) else None
    return None


def _shaped_otherwise(length: int, usual: Ran, answer: Ran) -> bool:
    """Whether a result without elements is longer along another axis than usual: torch's `pixel_unshuffle`
    gives back what it was given, in its shape, where there is nothing in it. Or whether nothing is left of
    an axis that is usually shorter than that `length`: the first three of a row, and none of no row."""
    pairs = [(was.shape, now.shape) for was, now in zip(usual.outputs, answer.outputs, strict=True)]
    alike = [(was, now) for was, now in pairs if len(was) == len(now)]
    sides = [pair for was, now in alike for pair in zip(was, now, strict=True)]
    return any(now > was or (now == 0 and 0 < was < length) for was, now in sides)


def _keeps_one(inputs: Sequence[Input], changed: Sequence[Input], usual: Ran, answer: Ran) -> bool:
    """Whether a result that usually has the shape of an input has an element more than that is left with: the
    first of a sequence, which an op writes whether there is one or not."""
    pairs = [
        (was, now)
        for was, now in zip(inputs, changed, strict=True)
        if isinstance(was, torch.Tensor) and isinstance(now, torch.Tensor)
    ]
    return any(
        before.shape == was.shape and after.numel() > now.numel()
        for before, after in zip(usual.outputs, answer.outputs, strict=True)
        for was, now in pairs
    )


def _without_own(value: torch.Tensor, length: int, axis: int) -> torch.Tensor:
    """Its own first, or last, axis if that is as long, else whichever is."""
    whole = value.ndim > 0 and value.shape[axis] == length
    return value.narrow(axis, 0, 0).clone() if whole else _without(value, length)


def _without(value: torch.Tensor, length: int) -> torch.Tensor:
    """Integers that keep their elements are none: lengths may not tell of what is no longer there."""
    for axis, size in enumerate(value.shape):
        if size == length:
            value = value.narrow(axis, 0, 0)
    whole = not (value.is_floating_point() or value.is_complex() or value.dtype == torch.bool)
    return torch.zeros_like(value) if whole else value.clone()
