"""Draws what goes into exponentials as far as they have numbers: in one input at a time, beside usual others
or nothing, or beside weights that are exponents too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch

from ....profiling.build import Input
from ..reference.measures import difference, tells_apart
from ..reference.operators import FRACTIONAL, vanishes
from ..reference.oracle import Reference
from .added_weights import added_only
from .domain import is_positive, operators_of
from .extremes import is_finite, is_mask
from .families import EXPONENTIAL, floats
from .sizes import answers, place_of_turn

State = dict[str, torch.Tensor]

_EXPONENTIAL = EXPONENTIAL - {"pow", FRACTIONAL}

_ENDS = (105.0, 85.0)
"""Exponents beyond which an exponential is infinite or nothing, where what is made of it has an end; or short
of them."""

_LEAST, _MOST, _FURTHER = 74.0, 86.0, 4.0
"""How far off all are where the largest result is near the smallest number that there is, so that a bound
short of it shows; and how much farther tells whether the answer is an exponential of it."""


def spread_exponents(
    turn: int, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which one that floats, the first, second or so by `turn`, is spread evenly as far as an
    exponential has numbers, and beyond where the op has: a bound against infinity may stand too far off. None
    where the op takes no exponential, or those of sums of products."""
    place = place_of_turn(turn, reference, inputs, state)
    operators = operators_of(reference, inputs, state) if place is not None else frozenset[str]()
    if place is None or not (vanishes(operators) or not _EXPONENTIAL.isdisjoint(operators)):
        return None
    value = inputs[place]
    assert isinstance(value, torch.Tensor)
    for end in _ENDS:
        drawn = torch.rand(value.shape, generator=generator)
        drawn = end * (drawn if is_positive(value) else 2 * drawn - 1)
        changed = [*inputs[:place], drawn.to(value.dtype), *inputs[place + 1 :]]
        if answers(reference, changed, state):
            return changed
    return None


def far_off_alone(
    turn: int, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which one is so far below zero, or above, throughout that the answer is next to nothing by
    an exponential of it; the others are usual, or nothing, where that alone leaves no more than the
    exponential: a bound on it shows, however far off. None where there is no such answer."""
    place = place_of_turn(turn, reference, inputs, state)
    if place is None or _EXPONENTIAL.isdisjoint(operators_of(reference, inputs, state)):
        return None
    value = inputs[place]
    assert isinstance(value, torch.Tensor)
    drawn = _LEAST + (_MOST - _LEAST) * torch.rand(value.shape, generator=generator)
    signs = (1.0,) if is_positive(value) else (-1.0, 1.0)
    for others, sign in product((inputs, [_nothing(one) for one in inputs]), signs):
        near, far = (
            [*others[:place], (sign * off).to(value.dtype), *others[place + 1 :]]
            for off in (drawn, drawn + _FURTHER)
        )
        exact, farther = (reference.tried_exactly(given, state) for given in (near, far))
        told = exact is not None and farther is not None and tells_apart(farther.outputs, exact.outputs)
        if told and exact is not None and _is_little(exact.outputs) and answers(reference, near, state):
            return near
    return None


def _is_little(outputs: Sequence[torch.Tensor]) -> bool:
    return all(float(one.abs().max()) < 1 for one in outputs if floats(one) and one.numel())


def _nothing(value: Input) -> Input:
    return torch.zeros_like(value) if floats(value) and not is_mask(value) else value


_UP, _COUNTS = 5.0, 1e-3
"""What is added to exponents, a factor of 148; and what the answer to a little more is off by where they
still count."""


def weights_as_exponents(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> tuple[list[Input], State] | None:
    """Weights of which nothing but exponentials is taken far above zero, beside the input that has them count
    most as far below, or as much smaller: a rate is large and the time short. None where there are none, or
    none that counts then."""
    names, _ = added_only(reference, inputs, state, frozenset(("exp", "exp2")))
    if not names:
        return None
    large, larger = ({**state, **{name: state[name] + up for name in names}} for up in (_UP, _UP + 1))
    counts: list[tuple[float, list[Input]]] = []
    for place, value in enumerate(inputs):
        if floats(value) and not is_mask(value):
            shorter = value / 2**7 if is_positive(value) else value - _UP
            changed = [*inputs[:place], shorter, *inputs[place + 1 :]]
            runs = [reference.tried_exactly(changed, weights) for weights in (large, larger)]
            counts.append((_apart([ran.outputs if ran is not None else [] for ran in runs]), changed))
    most, changed = max(counts, key=lambda pair: pair[0], default=(0.0, []))
    return (changed, large) if most > _COUNTS else None


def _apart(runs: Sequence[Sequence[torch.Tensor]]) -> float:
    """How far the outputs of two runs are from each other where all of the first are numbers."""
    if not runs[0] or not all(map(is_finite, runs[0])):
        return 0.0
    pairs = zip(*runs, strict=False)
    return max((difference(one, other).worst for other, one in pairs if floats(one)), default=0.0)
