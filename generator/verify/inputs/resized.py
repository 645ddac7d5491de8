"""Gives an op's inputs other sizes than its instance was made for, where the reference still has an answer:
no rows or columns at all, twice as many rows or one, or another axis twice as long."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ....profiling.literals import SMALLEST_BESIDE_NAMES
from ..process.layout import EMPTY, Layout
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Ran, Reference
from .offsets import without_elements
from .places import names_each_once, puts_at_places, rises

ONE_ROW = "one row"
"""A batch of one, which every model meets."""

_AXES: Mapping[Layout, int] = {"no rows": 0, "no columns": -1}


def other_rows(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> Iterator[tuple[str, list[Input]]]:
    """`inputs` with every row a second time, the last one first, and, where all of them have as many, with a
    single one; each with a name, where the reference has an answer. The first axis of all counts them. A
    single element is broadcast to whatever it stands along: where two would not do, it is no row."""
    tensors = [one for one in inputs if isinstance(one, torch.Tensor) and one.ndim > 0]
    rows = len(tensors[0]) if tensors else 0
    if rows < 2:
        return
    repeats = not (any(map(names_each_once, inputs)) and puts_at_places(reference, inputs, state))
    more = [_rows_again(one) if _has_rows(one, rows) else one for one in inputs]
    if repeats and _has_answer(reference, more, state):
        yield "more rows", more
    if all(_has_rows(one, rows) for one in tensors):  # one that has others would be broadcast
        two, single = (
            [one[:count].clone() if _has_rows(one, rows) else one for one in inputs] for count in (2, 1)
        )
        if _has_answer(reference, two, state) and _has_answer(reference, single, state):
            yield ONE_ROW, single


def _rows_again(value: torch.Tensor) -> torch.Tensor:
    """Beginnings of rows stay in order."""
    twice = torch.cat([value, _turned(value, 0)])
    return twice.sort().values if rises(value) else twice


def _has_rows(value: Input, rows: int) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.ndim > 0 and len(value) == rows


def other_lengths(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    sizes: Collection[Any],
    alone: bool = False,
) -> Iterator[tuple[str, list[Input]]]:
    """For the second axis of the first tensor and its last: `inputs` of which all that is as long is twice as
    long; each with a name, wherever the reference has a finite answer to it. A short length that is none of
    the op file's `sizes` is written out there, and no kernel need take another; with `alone`, none that is
    none of them."""
    first = next((one for one in inputs if isinstance(one, torch.Tensor)), None)
    if first is None or first.ndim < 2:
        return
    for axis in sorted({1, first.ndim - 1}):
        changed = [_twice(one, first.shape[axis]) if isinstance(one, torch.Tensor) else one for one in inputs]
        if (
            first.shape[axis] > _COMPONENTS
            and _varies(first.shape[axis], sizes, alone)
            and _has_answer(reference, changed, state)
        ):
            yield f"axis {axis} twice as long", changed
    if first.shape[-1] in sizes or not alone:
        yield from _oblong(reference, inputs, state, first)
    own = {length for one in inputs[1:] if isinstance(one, torch.Tensor) for length in one.shape[1:]}
    for length in sorted(own - {1, *first.shape}):
        changed = [_twice(one, length) if isinstance(one, torch.Tensor) else one for one in inputs]
        varies = length > _COMPONENTS and _varies(length, sizes, alone)
        if varies and _has_answer(reference, changed, state):
            yield f"{length} twice as long", changed


def _varies(length: int, sizes: Collection[Any], alone: bool) -> bool:
    return length in sizes or (length >= SMALLEST_BESIDE_NAMES and not alone)


def _oblong(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], first: torch.Tensor
) -> Iterator[tuple[str, list[Input]]]:
    """The first tensor alone twice as high, where its planes are square and nothing else is as long."""
    if first.ndim < 3 or first.shape[-1] != first.shape[-2] or first.shape[-1] <= _COMPONENTS:
        return
    others = {
        length for one in inputs if isinstance(one, torch.Tensor) and one is not first for length in one.shape
    }
    changed = [torch.cat([one, _turned(one, -2)], -2) if one is first else one for one in inputs]
    if first.shape[-1] not in others and _has_answer(reference, changed, state):
        yield "planes twice as high", changed


_COMPONENTS = 4
"""An axis of no more may hold coordinates, colours or parts of a quaternion: there are as many always."""


def _twice(value: torch.Tensor, length: int) -> torch.Tensor:
    for axis in range(1, value.ndim):
        if value.shape[axis] == length:
            value = torch.cat([value, _turned(value, axis)], axis)
    return value.clone()


def _turned(value: torch.Tensor, axis: int) -> torch.Tensor:
    """The last first; of 8-bit floats torch turns bytes alone."""
    bits = value.view(torch.uint8) if is_eight_bits(value) else value
    return bits.flip(axis).view(value.dtype)


def emptied(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], layout: Layout
) -> list[Input] | None:
    """`inputs` without rows (or columns): every axis that is as long as the first tensor's first (or last)
    has no element left; or without elements in any part of a row that parts divide. None where the reference
    raises at it, or has no number for it: torch's own answer to a mean of nothing is NaN, and kernels may
    divide as they like."""
    assert layout in EMPTY
    if layout == "no elements":
        changed = without_elements(reference, inputs, state)
        return changed if changed is not None and _has_answer(reference, changed, state) else None
    first = next((one for one in inputs if isinstance(one, torch.Tensor) and one.ndim > 0), None)
    if first is None or (layout == "no columns" and first.ndim < 2):
        return None
    axis = _AXES[layout]
    length = first.shape[axis]
    own = [_without_own(one, length, axis) if isinstance(one, torch.Tensor) else one for one in inputs]
    every = [_without(one, length) if isinstance(one, torch.Tensor) else one for one in inputs]
    for changed in (own, every):  # a filter's taps may be as many as there are rows, by chance
        answer = reference.tried(changed, state)
        if answer is None:
            continue
        if _keeps_one(reference, inputs, changed, answer, state):
            return None
        if len({output.numel() == 0 for output in answer.outputs}) > 1:
            return None  # a part of the answer alone is left, which nobody looks at
        return changed if _has_answer(reference, changed, state) else None
    return None


def _keeps_one(
    reference: Reference,
    inputs: Sequence[Input],
    changed: Sequence[Input],
    answer: Ran,
    state: dict[str, torch.Tensor],
) -> bool:
    """Whether a result that usually has the shape of an input has an element more than that is left with: the
    first of a sequence, which an op writes whether there is one or not."""
    usual = reference.tried(inputs, state)
    pairs = [
        (was, now)
        for was, now in zip(inputs, changed, strict=True)
        if isinstance(was, torch.Tensor) and isinstance(now, torch.Tensor)
    ]
    return usual is not None and any(
        before.shape == was.shape and after.numel() > now.numel()
        for before, after in zip(usual.outputs, answer.outputs, strict=True)
        for was, now in pairs
    )


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


def _without_own(value: torch.Tensor, length: int, axis: int) -> torch.Tensor:
    """Its own first, or last, axis if that is as long, else whichever is."""
    whole = value.ndim > 0 and value.shape[axis] == length
    return value.narrow(axis, 0, 0).clone() if whole else _without(value, length)


def _without(value: torch.Tensor, length: int) -> torch.Tensor:
    for axis, size in enumerate(value.shape):
        if size == length:
            value = value.narrow(axis, 0, 0)
    return value.clone()
