"""Puts extremes into an op's inputs: the ends of integers, zeros alone, masks that take everything, nothing,
or one end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeGuard

import torch

from ...profiling.build import Input
from .eight_bits import is_eight_bits, widened
from .oracle import Reference


def extreme_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of the smallest number and one of the largest in each tensor of integers, and
    numbers of every magnitude in every other row between.

    None where there is none, the reference takes them for places or classes, or what it gives is floating.
    """
    changed = [_with_rows(_anywhere(one, generator), *_ends(one)) if _whole(one) else one for one in inputs]
    answer = reference.tried(changed, state) if any(map(_whole, inputs)) else None
    if answer is None or any(output.is_floating_point() for output in answer.outputs):
        return None
    return changed


def far_integers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with one large number added to all integers, which stay as far from each other as they were: a
    float32 has no two of them. None where there is none, the reference takes them for places or classes, or
    what it gives is floating."""
    if not any(map(_may_be_far, inputs)):
        return None
    changed = [one + _FAR[one.dtype] if _may_be_far(one) else one for one in inputs]
    answer = reference.tried(changed, state)
    if answer is None or any(output.is_floating_point() for output in answer.outputs):
        return None
    return changed


_FAR = {torch.int32: 1 << 28, torch.int64: 1 << 40}


def _may_be_far(value: Input) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.dtype in _FAR and bool((value.abs() < 1 << 24).all())


def lowest_places(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with zero in the first place of each tensor of integers, where places and classes begin; None
    where there is none, or the reference raises."""
    changed = [_with_rows(one, 0, int(one.max())) if _whole(one) else one for one in inputs]  # type: ignore[union-attr]
    if not any(map(_whole, inputs)) or reference.tried(changed, state) is None:
        return None
    return changed


def whole_masks(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of each mask that takes nothing and one that takes all; None where there is
    none, or the reference has no answer to it. NaN is an answer: a number in its place hides it."""
    changed = [_with_rows(one, *_off_and_on(one)) if _mask(one) else one for one in inputs]
    if not any(map(_mask, inputs)) or reference.tried(changed, state) is None:
        return None
    return changed


def zeros_alone(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with nothing but zeros in what floats, masks apart: where an epsilon is all there is. None
    where nothing floats, or the reference has no number for it."""
    floats = [isinstance(one, torch.Tensor) and one.is_floating_point() and not _mask(one) for one in inputs]
    changed = [
        torch.zeros_like(one) if zero and isinstance(one, torch.Tensor) else one
        for zero, one in zip(floats, inputs, strict=True)
    ]
    answer = reference.tried(changed, state) if any(floats) else None
    if answer is None or not all(bool(widened(output).isfinite().all()) for output in answer.outputs):
        return None
    return changed


def padded_masks(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with rows of each mask that are set from somewhere on, up to somewhere, or at an end alone, as
    padding on the left and on the right sets them; None where there is none, or the reference raises."""
    changed = [_padded(one) if _mask(one) else one for one in inputs]
    if not any(map(_mask, inputs)) or reference.tried(changed, state) is None:
        return None
    return changed


def _padded(value: Input) -> Input:
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1])
    length = rows.shape[1]
    off, on = _off_and_on(value)
    for number, row in enumerate(rows):
        cut = (length // 2, 3 * length // 4, length - 1)[number // 4 % 3]
        row[:cut], row[cut:] = ((off, on), (on, off))[number % 2]
        if number % 4 > 1:
            row[:] = row.flip(0)
    return moved


def _mask(value: Input) -> bool:
    """Truths, or what is added to scores: zero and minus infinity."""
    if not isinstance(value, torch.Tensor) or value.numel() < 2 or is_eight_bits(value):
        return False
    added = value.is_floating_point() and bool(
        (value.isneginf() | (value == 0)).all() & value.isneginf().any()
    )
    return value.dtype == torch.bool or added


def _off_and_on(value: Input) -> tuple[float, float]:
    assert isinstance(value, torch.Tensor)
    return (False, True) if value.dtype == torch.bool else (-math.inf, 0.0)


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


def _anywhere(value: Input, generator: torch.Generator) -> torch.Tensor:
    """A copy with random bits in every other row from the third on; chance has it how many of them count."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    bits = torch.iinfo(value.dtype).bits
    drawn = torch.zeros_like(rows[2:-1:2]).random_(torch.iinfo(value.dtype).min, None, generator=generator)
    rows[2:-1:2] = drawn >> torch.randint(0, bits, drawn.shape, generator=generator).to(drawn.dtype)
    return moved


def _with_rows(value: Input, first: float, last: float) -> Input:
    """A copy whose first row, or element where it has no rows, is `first` throughout, and its last `last`."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1]) if moved.ndim > 1 else moved.view(-1, 1)
    rows[0], rows[-1] = first, last
    return moved
