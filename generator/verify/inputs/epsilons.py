"""Makes inputs, or weights, as small as an epsilon: added to a length, or below it at least, are alike far
from there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.operators import cancels, plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .digits import keeps_digits
from .domain import is_positive, operators_of
from .families import floats

_TAKES = words("add add_ clamp_min clamp")
_NORMALISES = words("native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_no_training")
_LARGEST = 2.0**-7
"""Of what is an epsilon; and the most by which inputs are made smaller, where their squares are numbers."""

_NEAREST, _FARTHEST = 3, 50
"""Powers of two by which usual values are beyond it: nearer ones are asked as they are."""

_LOST = 1e-5
"""What eager may be off by."""


def beside_an_epsilon(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which all floating ones of either sign are smaller by the power of two with which what the
    reference adds its smallest epsilon to, or holds above it, is about as large. None where it has none such,
    where honest kernels cancel so near to zero, or where the reference itself loses its digits."""
    signed = _signed(inputs)
    if not any(signed) or cancels(operators_of(reference, inputs, state)):
        return None
    usual = _beside(reference, inputs, state)
    half = _beside(reference, _smaller(inputs, signed, 1), state) if usual else []
    power = _power(usual, half, _moved(usual, half))
    if power is None:
        return None
    changed = _smaller(inputs, signed, power)
    return changed if keeps_digits(reference, changed, state, _LOST) else None


def weights_beside_an_epsilon(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> tuple[list[Input], dict[str, torch.Tensor]] | None:
    """Likewise weights, and buffers that are not as constructed, where inputs do not reach what an epsilon is
    beside: a variance that is loaded, the length of a row of weights. One of them for each epsilon."""
    usual = _beside(reference, inputs, state)
    if not usual or cancels(operators_of(reference, inputs, state)):
        return None
    signed = _signed(inputs)
    half = _beside(reference, _smaller(inputs, signed, 1), state) if any(signed) else usual
    reached = _moved(usual, half)
    made, changed = reference.model.state_dict(), dict(state)
    for name, value in state.items():
        if not floats(value) or not value.numel() or torch.equal(value, made[name]):
            continue
        half = _beside(reference, inputs, {**changed, name: _scaled(value, 1)})
        power = _power(usual, half, _moved(usual, half) - reached)
        if power is not None:
            changed[name] = _scaled(value, power)
            usual = _beside(reference, inputs, changed)
    if all(one is state[name] for name, one in changed.items()):
        return None
    return (list(inputs), changed) if keeps_digits(reference, inputs, changed, _LOST) else None


def _signed(inputs: Sequence[Input]) -> list[bool]:
    return [floats(one) and not is_positive(one) for one in inputs]


def _smaller(inputs: Sequence[Input], signed: Sequence[bool], power: int) -> list[Input]:
    chosen = zip(inputs, signed, strict=True)
    return [_scaled(one, power) if smaller and floats(one) else one for one, smaller in chosen]


def _scaled(value: torch.Tensor, power: int) -> torch.Tensor:
    return (widened(value) * 2.0**-power).to(value.dtype)


_Beside = list[tuple[float, float]]
"""Epsilons as they are met, and the middle size of what each is beside."""


def _moved(usual: _Beside, half: _Beside) -> set[int]:
    """Places of the epsilons that are beside something smaller once something is halved."""
    if [epsilon for epsilon, _ in usual] != [epsilon for epsilon, _ in half]:
        return set()
    return {place for place, (was, now) in enumerate(zip(usual, half, strict=True)) if now[1] < was[1]}


def _power(usual: _Beside, half: _Beside, places: set[int]) -> int | None:
    """The power of two that brings what the smallest epsilon at one of `places` is beside down to it."""
    if not places:
        return None
    place = min(places, key=lambda one: usual[one])
    epsilon, middle = usual[place]
    power = round(math.log2(middle / epsilon) / math.log2(middle / half[place][1]))
    return power if _NEAREST <= power <= _FARTHEST else None


def _beside(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> _Beside:
    seen = _Epsilons()
    with seen:
        reference.tried_exactly(inputs, state)
    return seen.found


class _Epsilons(Watching):
    """Small numbers that are added to floating ones, or that those are held above."""

    def __init__(self) -> None:
        super().__init__()
        self.found: _Beside = []

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if name in _NORMALISES and args[5] is not True:  # while evaluating, by a variance that is loaded
            args, name = (args[4], args[-1]), "add"
        if name not in _TAKES or len(args) < 2 or not isinstance(args[1], float):
            return
        value, epsilon = args[0], args[1]
        if isinstance(value, torch.Tensor) and value.is_floating_point() and 0 < epsilon <= _LARGEST:
            middle = float(value.abs().double().median()) if value.numel() else 0.0
            self.found += [(epsilon, middle)] if middle > 0 else []
