"""Makes inputs as small as an epsilon: added to a length, or below it at least, are alike far from there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ....profiling.build import Input
from ..reference.measures import difference
from ..reference.operators import cancels, plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .domain import is_positive, operators_of
from .extremes import is_finite
from .families import floats

_TAKES = words("add add_ clamp_min clamp")
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
    signed = [floats(one) and not is_positive(one) for one in inputs]
    if not any(signed) or cancels(operators_of(reference, inputs, state)):
        return None
    usual, half = (_beside(reference, _smaller(inputs, signed, power), state) for power in (0, 1))
    if usual is None or half is None or usual[0] != half[0] or half[1] >= usual[1]:
        return None
    power = round(math.log2(usual[1] / usual[0]) / math.log2(usual[1] / half[1]))
    if not _NEAREST <= power <= _FARTHEST:
        return None
    changed = _smaller(inputs, signed, power)
    own, exact = reference.tried(changed, state), reference.tried_exactly(changed, state)
    if own is None or exact is None or not all(map(is_finite, own.outputs)):
        return None
    pairs = zip(own.outputs, exact.outputs, strict=True)
    lost = any(one.is_floating_point() and difference(one, right).worst > _LOST for one, right in pairs)
    return None if lost else changed


def _smaller(inputs: Sequence[Input], signed: Sequence[bool], power: int) -> list[Input]:
    chosen = zip(inputs, signed, strict=True)
    return [one * 2.0**-power if smaller else one for one, smaller in chosen]  # type: ignore[operator]


def _beside(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> tuple[float, float] | None:
    """The smallest epsilon, and the middle size of what it is beside; None where there is none."""
    with _Epsilons() as seen:
        reference.tried_exactly(inputs, state)
    return min(seen.found, default=None)


class _Epsilons(Watching):
    """Small numbers that are added to floating ones, or that those are held above."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[float, float]] = []

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) not in _TAKES or len(args) < 2 or not isinstance(args[1], float):
            return
        value, epsilon = args[0], args[1]
        if isinstance(value, torch.Tensor) and value.is_floating_point() and 0 < epsilon <= _LARGEST:
            middle = float(value.abs().double().median()) if value.numel() else 0.0
            self.found += [(epsilon, middle)] if middle > 0 else []
