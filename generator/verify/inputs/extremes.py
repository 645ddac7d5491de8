"""Puts extremes into an op's inputs: zeros alone, masks that take everything, nothing, or one end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Reference
from .domain import is_positive
from .families import floats
from .integers import with_rows


def whole_masks(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a row of each mask that takes nothing and one that takes all; None where there is
    none, or the reference has no answer to it. NaN is an answer: a number in its place hides it."""
    changed = [with_rows(one, *_off_and_on(one)) if is_mask(one) else one for one in inputs]
    if not any(map(is_mask, inputs)) or reference.tried(changed, state) is None:
        return None
    return changed


def masks_off(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose masks take nothing at all; None where there is none, or the reference has no number."""
    return _masks_all(0, reference, inputs, state)


def masks_on(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose masks take everything."""
    return _masks_all(1, reference, inputs, state)


def _masks_all(
    side: int, reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    changed = [_filled(one, _off_and_on(one)[side]) if is_mask(one) else one for one in inputs]
    answer = reference.tried(changed, state) if any(map(is_mask, inputs)) else None
    if answer is None or not all(map(is_finite, answer.outputs)):
        return None
    return changed


def lone_masks(
    side: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which each row of a mask takes everything but one place (`side` 1), or nothing but one: the
    last of every other row; of every fourth one at which a tile begins, as they lie in memory, so that it is
    the first behind a tile without any; any of the others. The same place in masks of one shape."""
    drawn = {
        one.shape: torch.randint(0, one.shape[-1], one.shape[:-1], generator=generator)
        for one in inputs
        if is_mask(one) and isinstance(one, torch.Tensor) and one.ndim > 0 and one.numel()
    }
    changed = [
        _lone(one, side, drawn[one.shape])
        if is_mask(one) and isinstance(one, torch.Tensor) and one.shape in drawn
        else one
        for one in inputs
    ]
    answer = reference.tried(changed, state) if drawn else None
    return changed if answer is not None and all(map(is_finite, answer.outputs)) else None


def _lone(value: torch.Tensor, side: int, places: torch.Tensor) -> torch.Tensor:
    lone = lone_places(places.reshape(-1), value.shape[-1])
    others, one = _off_and_on(value)[:: 1 if side == 0 else -1]
    found = torch.full_like(value, others, memory_format=torch.contiguous_format)
    found.view(-1, value.shape[-1]).scatter_(1, lone[:, None], one)
    return found


def lone_places(places: torch.Tensor, length: int) -> torch.Tensor:
    """Where the lone one stands in each row of so many, by places drawn at random: as in `lone_masks`."""
    lone = places.clone()
    lone[::2] = length - 1
    rows = torch.arange(1, len(lone), 4)
    begins = -rows * length % _TILE
    at = begins + (lone[rows] // _TILE).clamp_min(1) * _TILE
    at = torch.where(at < length, at, begins)
    lone[rows] = torch.where(at < length, at, lone[rows])
    return lone


_TILE = 128
"""Elements: where one of so many begins, shorter ones of a power of two begin too."""


def is_finite(output: torch.Tensor) -> bool:
    return bool(widened(output).isfinite().all())


def _filled(value: Input, number: float) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return torch.full_like(value, number)


def zeros_alone(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with nothing but zeros in what floats, masks apart: where an epsilon is all there is, and all
    are equals, of either sign in what has numbers of both. None where nothing floats, or the reference has no
    number for it."""
    zeroed = [floats(one) and not is_mask(one) for one in inputs]
    changed = [
        _zeros_like(one, generator) if zero and isinstance(one, torch.Tensor) else one
        for zero, one in zip(zeroed, inputs, strict=True)
    ]
    answer = reference.tried(changed, state) if any(zeroed) else None
    if answer is None or not all(bool(widened(output).isfinite().all()) for output in answer.outputs):
        return None
    return changed


def _zeros_like(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    zeros = torch.zeros_like(value)
    if is_eight_bits(value) or is_positive(value):
        return zeros
    return torch.where(torch.rand(value.shape, generator=generator) < 0.5, -zeros, zeros)


def zeros_in(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which one that floats is zero throughout, the first, second or so by `turn`, and others are
    not: what is zero in one place may count for nothing, or for something. None likewise."""
    floating = [place for place, one in enumerate(inputs) if floats(one) and not is_mask(one)]
    if len(floating) < 2 or len(floating) <= turn:
        return None
    place = floating[turn]
    changed = [*inputs[:place], _filled(inputs[place], 0), *inputs[place + 1 :]]
    answer = reference.tried(changed, state)
    if answer is None or not all(bool(widened(output).isfinite().all()) for output in answer.outputs):
        return None
    return changed


def padded_masks(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with rows of each mask that are set from somewhere on, up to somewhere, or at an end alone, as
    padding on the left and on the right sets them; None where there is none, or the reference raises."""
    if any(map(is_mask, inputs)):
        changed = [_padded(one) if is_mask(one) else one for one in inputs]
        return None if reference.tried(changed, state) is None else changed
    return _padded_bias(reference, inputs, state)


def _padded_bias(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[Input] | None:
    """`inputs` with minus infinity at ends of rows of one that is zero throughout, as a mask that hides
    nothing is, where that leaves every number finite."""
    for place in [place for place, one in enumerate(inputs) if _hides_nothing(one)]:
        given = [*inputs[:place], _ended(inputs[place]), *inputs[place + 1 :]]
        answer = reference.tried(given, state)
        if answer is not None and all(map(is_finite, answer.outputs)):
            return given
    return None


def _hides_nothing(value: Input) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or is_eight_bits(value):
        return False
    return value.ndim > 1 and value.shape[-1] > 1 and not value.any()


def _ended(value: Input) -> torch.Tensor:
    """A copy of whose rows every other one ends in minus infinity, and the ones between begin with it."""
    assert isinstance(value, torch.Tensor)
    moved = value.contiguous().clone()
    rows = moved.view(-1, moved.shape[-1])
    half = rows.shape[1] // 2
    rows[::2, rows.shape[1] - half :] = -math.inf
    rows[1::2, :half] = -math.inf
    return moved


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


def is_mask(value: Input) -> bool:
    """Truths, zeros and ones alone, or what is added to scores: zero and minus infinity."""
    if not isinstance(value, torch.Tensor) or value.numel() < 2 or is_eight_bits(value):
        return False
    if value.dtype == torch.bool:
        return True
    zero, one = value == 0, value == 1
    chosen = value.numel() >= _TELLS and bool(one.any()) and bool((zero | one).all())
    if chosen and (bool(zero.any()) or not value.is_floating_point()):
        return True
    hides = value == -math.inf
    return bool(hides.any()) and bool((hides | zero).all())


_TELLS = 8
"""Zeros and ones that are no chance."""


def _off_and_on(value: Input) -> tuple[float, float]:
    assert isinstance(value, torch.Tensor)
    return (-math.inf, 0.0) if bool((value == -math.inf).any()) else (0, 1)
