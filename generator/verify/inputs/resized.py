"""Gives an op's inputs other sizes than its instance was made for, where the reference still has an answer:
twice as many rows or one, or another axis twice as long."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ....profiling.literals import SMALLEST_BESIDE_NAMES
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Ran, Reference
from .axes import UNKNOWN, Axes, Axis, in_proportion
from .integers import is_whole
from .places import names_each_once, puts_at_places, rises

ONE_ROW, MANY_ROWS = "one row", "many rows"
"""A batch of one, which every model meets; and one that takes several blocks, whatever these hold."""

EXCHANGED = "sides exchanged"
"""As many elements as before."""


def other_rows(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    axes: Axes = UNKNOWN,
    many: int = 0,
) -> Iterator[tuple[str, list[Input]]]:
    """`inputs` with every row a second time, the last one first, with so `many` elements in the largest of
    them, if that takes more, and, where all of them have as many, with a single one; each with a name, where
    the reference has an answer. The first axis of all counts them, unless by `axes` another constant makes
    it. A single element is broadcast to whatever it stands along: where two would not do, it is no row."""
    places = [place for place, one in enumerate(inputs) if isinstance(one, torch.Tensor) and one.ndim > 0]
    rows = len(inputs[places[0]]) if places else 0  # type: ignore[arg-type]
    if rows < 2:
        return
    moved = axes.along(_number(inputs, places[0]), 0)
    if axes.writes_out(_number(inputs, places[0]), 0, rows):
        return
    with_rows = {
        place
        for place in places
        if _has_rows(inputs[place], rows) and (moved is None or (_number(inputs, place), 0) in moved)
    }
    repeats = not (any(map(names_each_once, inputs)) and puts_at_places(reference, inputs, state))

    def changed(change: Callable[[torch.Tensor], torch.Tensor]) -> list[Input]:
        return [
            change(one) if place in with_rows and isinstance(one, torch.Tensor) else one
            for place, one in enumerate(inputs)
        ]

    more = changed(_rows_again)
    if repeats and has_answer(reference, more, state):
        yield "more rows", more
    largest = max(one.numel() for one in inputs if _has_rows(one, rows))
    if repeats and many > 2 * largest > 0:
        several = changed(partial(_rows_again, times=many // largest))
        if has_answer(reference, several, state):
            yield MANY_ROWS, several
    if with_rows == set(places):  # one that has others would be broadcast
        two, single = changed(lambda one: one[:2].clone()), changed(lambda one: one[:1].clone())
        if has_answer(reference, two, state) and has_answer(reference, single, state):
            yield ONE_ROW, single


def _number(inputs: Sequence[Input], place: int) -> int:
    """How many tensors stand before one."""
    return sum(isinstance(one, torch.Tensor) for one in inputs[:place])


def _rows_again(value: torch.Tensor, times: int = 1) -> torch.Tensor:
    """Beginnings of rows stay in order."""
    more = torch.cat([value, *[_turned(value, 0)] * times])
    return more.sort().values if rises(value) else more


def _has_rows(value: Input, rows: int) -> TypeGuard[torch.Tensor]:
    return isinstance(value, torch.Tensor) and value.ndim > 0 and len(value) == rows


def other_lengths(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    sizes: Collection[Any],
    alone: bool = False,
    axes: Axes = UNKNOWN,
) -> Iterator[tuple[str, list[Input]]]:
    """For the second axis of the first tensor and its last: `inputs` of which all that is as long is twice as
    long; each with a name, wherever the reference has a finite answer to it. Where by `axes` its constant
    makes rows of another tensor, these would not be as long any more. A short length that is none of the
    op file's `sizes` is written out there, and no kernel need take another; with `alone`, none that is
    none of them."""
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    if not tensors or tensors[0].ndim < 2:
        return
    first = tensors[0]
    for axis in sorted({1, first.ndim - 1}):
        moved = axes.along(0, axis)
        changed = _longer(inputs, first.shape[axis], moved)
        if (
            first.shape[axis] > _COMPONENTS
            and not _makes_rows(moved, 0)
            and in_proportion(tensors, moved)
            and _varies(first.shape[axis], sizes, alone)
            and has_answer(reference, changed, state)
        ):
            yield f"axis {axis} twice as long", changed
    if first.shape[-1] in sizes or not alone:
        yield from _oblong(reference, inputs, state, first)
    own = [
        (one.shape[axis], tensor, axis) for tensor, one in enumerate(tensors) for axis in range(1, one.ndim)
    ]
    for length in sorted({length for length, tensor, _ in own if tensor} - {1, *first.shape}):
        made = {axes.along(tensor, axis) for size, tensor, axis in own if size == length}
        moved = next(iter(made)) if len(made) == 1 else None
        changed = _longer(inputs, length, moved)
        varies = length > _COMPONENTS and _varies(length, sizes, alone) and not any(map(_makes_rows, made))
        if varies and in_proportion(tensors, moved) and has_answer(reference, changed, state):
            yield f"{length} twice as long", changed


def _makes_rows(moved: Collection[Axis] | None, but: int = -1) -> bool:
    """Whether a first axis is among what one constant makes, that of one tensor apart."""
    return any(axis == 0 and tensor != but for tensor, axis in moved or ())


def _varies(length: int, sizes: Collection[Any], alone: bool) -> bool:
    return length in sizes or (length >= SMALLEST_BESIDE_NAMES and not alone)


def _oblong(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], first: torch.Tensor
) -> Iterator[tuple[str, list[Input]]]:
    """The first tensor alone twice as high, where its planes are square, nothing else is as long, and the
    reference looks at all of it: of a triangle it does not."""
    if first.ndim < 3 or first.shape[-1] != first.shape[-2] or first.shape[-1] <= _COMPONENTS:
        return
    others = {
        length for one in inputs if isinstance(one, torch.Tensor) and one is not first for length in one.shape
    }
    more = _turned(first, -2)
    changed, other = (
        [torch.cat([one, added], -2) if one is first else one for one in inputs]
        for added in (more, torch.zeros_like(more))
    )
    answered = first.shape[-1] not in others and has_answer(reference, changed, state)
    if answered and not _alike(reference.tried(changed, state), reference.tried(other, state)):
        yield "planes twice as high", changed


def _alike(one: Ran | None, other: Ran | None) -> bool:
    if one is None or other is None:
        return one is other
    pairs = zip(one.outputs, other.outputs, strict=True)
    return all(was.shape == now.shape and torch.equal(widened(was), widened(now)) for was, now in pairs)


_COMPONENTS = 4
"""An axis of no more may hold coordinates, colours or parts of a quaternion: there are as many always."""


def _longer(inputs: Sequence[Input], length: int, moved: Collection[Axis] | None = None) -> list[Input]:
    """All axes but first ones twice as long that are `moved` together, or, where that is not known, as long
    as `length`."""
    found, tensor = list[Input](), 0
    for value in inputs:
        if isinstance(value, torch.Tensor):
            for axis in range(1, value.ndim):
                goes = value.shape[axis] == length if moved is None else (tensor, axis) in moved
                value = torch.cat([value, _turned(value, axis)], axis) if goes else value
            value, tensor = value.clone(), tensor + 1
        found.append(value)
    return found


def other_sides(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    sizes: Collection[Any],
    alone: bool,
    axes: Axes,
) -> Iterator[tuple[str, list[Input]]]:
    """The last two axes of the first tensor, and what goes along, as long as each other: what a candidate
    keeps for as many elements is made for other rows. Those of two constants alone, by `axes`, and of
    `sizes` as above, none of which is much longer; integers might name what is no longer there."""
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    if (
        not tensors
        or tensors[0].ndim < 3
        or len(set(tensors[0].shape[-2:])) < 2
        or any(map(is_whole, tensors))
    ):
        return
    last = tensors[0].ndim - 1
    high, wide = (axes.along(0, axis) or frozenset() for axis in (last - 1, last))
    lengths = dict.fromkeys(high, tensors[0].shape[last])
    lengths |= dict.fromkeys(wide, tensors[0].shape[last - 1])
    were = (((tensor, axis), tensors[tensor].shape[axis]) for tensor, axis in lengths)
    alike = all(length == tensors[0].shape[last - 1 if axis in high else last] for axis, length in were)
    sides = tensors[0].shape[-2:]
    vary = all(_varies(length, sizes, alone) and length > _COMPONENTS for length in sides)
    vary = vary and max(sides) <= _UNLIKE * min(sides)
    if not (high and wide and alike and vary) or high & wide or any(axis == 0 for _, axis in lengths):
        return
    changed, tensor = list[Input](), 0
    for value in inputs:
        if isinstance(value, torch.Tensor):
            for axis in range(1, value.ndim):
                value = _as_long(value, axis, lengths.get((tensor, axis), value.shape[axis]))
            value, tensor = value.clone(), tensor + 1
        changed.append(value)
    if has_answer(reference, changed, state):
        yield EXCHANGED, changed


_UNLIKE = 4
"""Times as long as the other that a side is at most: heads as wide as sequences are long take their time."""


def _as_long(value: torch.Tensor, axis: int, length: int) -> torch.Tensor:
    while value.shape[axis] < length:
        value = torch.cat([value, _turned(value, axis)], axis)
    return value.narrow(axis, 0, length)


def _turned(value: torch.Tensor, axis: int) -> torch.Tensor:
    """The last first; of 8-bit floats torch turns bytes alone."""
    bits = value.view(torch.uint8) if is_eight_bits(value) else value
    return bits.flip(axis).view(value.dtype)


def has_answer(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
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
