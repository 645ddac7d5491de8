"""Fills the range of float16: inputs as large as an op's results leave room for."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits, widened
from ..reference.oracle import Ran, Reference
from .added_weights import BIASES, added_only
from .digits import keeps_most_digits
from .domain import is_positive

_ROOM = 4.0
"""Times the largest result that float16 still holds: other draws are larger."""

_POWERS = range(13, 3, -1)


def half_range(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which the first floating one, of float16, is multiplied by the largest power of two with
    which it and all results are finite, and a quarter of that range at most: sums of products that are kept
    in float16 before a scale makes them small again pass its end. None where no such power is beyond 8."""
    place = next((place for place, one in enumerate(inputs) if _is_half(one)), None)
    if place is None or is_positive(inputs[place]):
        return None
    for power in _POWERS:
        changed = [*inputs[:place], inputs[place] * 2.0**power, *inputs[place + 1 :]]  # type: ignore[operator]
        answer = reference.tried(changed, state)
        if answer is not None and all(map(_fits, (changed[place], *answer.outputs))):
            return changed
    return None


def half_range_beside_weights(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
    """`half_range` beside parameters of float16 that are 8 times as large: a row times its weight, before it
    is divided by its length, passes the end of float16. None where there are no such."""
    large = {
        name: _WEIGHT * state[name]
        for name, one in reference.model.named_parameters()
        if name in state and one.dtype == torch.float16
    }
    found = half_range(reference, inputs, {**state, **large}, generator) if large else None
    return None if found is None else (found, {**state, **large})


_WEIGHT = 8.0


def half_ends_beside_weights(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
    """Inputs and added weights of float16 near its ends, of either sign, or all below zero, or above: their
    sums are beyond it, and what bounds them comes later. None where there are no such, or no result has a
    number then."""
    halves = [place for place, one in enumerate(inputs) if _is_half(one) and not is_positive(one)]
    added = added_only(reference, inputs, state, BIASES | {"_to_copy"})[0] if halves else []
    names = [name for name in added if state[name].dtype == torch.float16]
    for sign in (0, -1, 1) if names else ():
        changed = {**state, **{name: _near_end(state[name], sign, generator) for name in names}}
        given = [
            _near_end(one, sign, generator) if place in halves and isinstance(one, torch.Tensor) else one
            for place, one in enumerate(inputs)
        ]
        if keeps_most_digits(reference, given, changed):
            return given, changed
    return None


def _near_end(value: torch.Tensor, sign: int, generator: torch.Generator) -> torch.Tensor:
    signs = sign or 2 * torch.randint(0, 2, value.shape, generator=generator) - 1
    share = (2 + torch.rand(value.shape, generator=generator)) / 3.5
    return (signs * share * torch.finfo(value.dtype).max).to(value.dtype)


def half_alone(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which one of float16, the first, second or so by `turn`, is as large as results leave room
    for and above zero throughout, and the others that float are zero, or one where they are above zero as
    shipped: scores are even then, and sums of a few large ones pass the end of float16 where their mean does
    not. None where nothing is added up, or nothing comes out."""
    halves = [place for place, one in enumerate(inputs) if _is_half(one)]
    if len(halves) <= turn:
        return None
    place, level = halves[turn], [_level(one) for one in inputs]
    large = inputs[place]
    assert isinstance(large, torch.Tensor)
    share = (1 + torch.rand(large.shape, generator=generator)) / 2
    for room, powers in ((_ROOM, _HALVINGS), (_LITTLE_ROOM, _FEW_HALVINGS)):
        for power in range(powers):
            level[place] = (share * (torch.finfo(large.dtype).max / room * 2.0**-power)).to(large.dtype)
            answer = reference.tried(level, state)
            if answer is None or not all(_fits(one, room) for one in answer.outputs):
                continue
            exact = reference.tried_exactly(level, state)
            if exact is None or exact.terms < 2 or not any(map(_counts, answer.outputs)):
                return None
            if exact.terms > _FEW or room == _LITTLE_ROOM:
                return level
            break
    return None


def opposed_halves_in(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which one of float16, by `turn`, is above zero in the first half of each row and as large
    below it in the second, and the others that float are above zero: of sums along such rows half alone is
    beyond float16. As large as leaves all results finite; None where half alone is finite then."""
    halves = [place for place, one in enumerate(inputs) if _is_half(one) and not is_positive(one)]
    if len(halves) <= turn:
        return None
    place, given = halves[turn], [_above(one, generator) for one in inputs]
    large = given[place]
    assert isinstance(large, torch.Tensor)
    if not large.ndim or large.shape[-1] < 2:
        return None
    found = None
    for power in range(_OCTAVES):
        ends = (large.double() * 2.0**power).chunk(2, -1)
        both, alone = (torch.cat([ends[0], part], -1).to(large.dtype) for part in (-ends[1], 0 * ends[1]))
        asked, half = ([*given[:place], one, *given[place + 1 :]] for one in (both, alone))
        if not _is_finite(reference.tried(asked, state)):
            break
        found = None if _is_finite(reference.tried(half, state)) else asked
    return found


_OCTAVES = 16
"""From one half on, to where float16 ends."""


def _above(value: Input, generator: torch.Generator) -> Input:
    """Between a half and one; what does not float as it is."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or is_eight_bits(value):
        return value
    return ((1 + torch.rand(value.shape, generator=generator)) / 2).to(value.dtype)


def _is_finite(answer: Ran | None) -> bool:
    return answer is not None and all(bool(widened(one).isfinite().all()) for one in answer.outputs)


_HALVINGS = 10
"""Of the largest: what is not finite with a thousandth of it never is."""

_FEW = 8
"""Numbers that are added up, of which the sum is beyond float16 where it has room for each four times."""

_LITTLE_ROOM, _FEW_HALVINGS = 1.0625, 3
"""For sums of fewer, two numbers, or four, each nearly as large as there are."""


def _level(value: Input) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or is_eight_bits(value):
        return value
    return torch.full_like(value, float(is_positive(value)), memory_format=torch.contiguous_format)


def _counts(value: torch.Tensor) -> bool:
    return value.is_floating_point() and bool(widened(value).any())


def _is_half(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == torch.float16 and value.numel() > 1


def _fits(value: Input, room: float = _ROOM) -> bool:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return True
    return bool(widened(value).abs().max() <= torch.finfo(torch.float16).max / room)
