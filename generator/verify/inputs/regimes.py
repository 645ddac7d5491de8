"""Weights in a regime together with inputs in one: a scale below zero where exponentials would overflow, one
beyond its bound between rows that face each other, weights and inputs near each other and far from zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.on_a_card import PRODUCTS
from ..reference.operators import FRACTIONAL, words
from ..reference.oracle import Reference
from .added_weights import BESIDE, added_only, takers_of
from .bent_weights import BENT
from .digits import keeps_most_digits
from .domain import is_positive, operators_of
from .epsilons import weights_beside_an_epsilon
from .families import EXPONENTIAL, floats, leading_pair

State = dict[str, torch.Tensor]
Found = tuple[list[Input], State] | None

_OVERFLOWS = EXPONENTIAL - {"pow", FRACTIONAL} | words("softplus log_sigmoid_forward mish tanh")
_WIDTHS = (64.0, 8.0)
"""Times usual inputs: of those that are multiplied with each other the second is enough."""

_BEYOND = (4.0, 2.0)
"""Times a usual scale: where it is bounded the first is beyond that, and elsewhere digits may be lost."""

_DEVIATES = words("mean var var_mean std std_mean")
_DIFFERS = words("sub rsub _cdist_forward _euclidean_dist")
_FAR = 512.0
"""Times a normal value: of a square of it, float32 has no digit left behind the point."""


def _below_zero(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Scales below zero, and inputs as wide as exponentials of them overflow: the maximum of what is scaled
    later is its minimum."""
    scales = _scales(reference, inputs, state)
    wide = [floats(one) and not is_positive(one) for one in inputs]
    if not scales or not any(wide) or _OVERFLOWS.isdisjoint(operators_of(reference, inputs, state)):
        return None
    changed = {**state, **{name: _cast(-widened(state[name]).abs(), state[name]) for name in scales}}
    for width in _WIDTHS:
        given = [
            _cast(width * widened(one), one) if far and floats(one) else one
            for one, far in zip(inputs, wide, strict=True)
        ]
        if keeps_most_digits(reference, given, changed):
            return given, changed
    return None


def _facing(
    sign: float, reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Scales beyond what they are held below, and two inputs whose rows all point one way, or one the other
    way: all that is scaled is as far as it can be above zero, or below."""
    scales, pair = _scales(reference, inputs, state), _pair(inputs)
    operators = operators_of(reference, inputs, state) if scales and pair else frozenset()
    if pair is None or _OVERFLOWS.isdisjoint(operators) or operators.isdisjoint(PRODUCTS):
        return None
    given = list(inputs)
    one, other = (_positive(inputs[place], generator) for place in pair)
    facing = sign * widened(one if one.shape == other.shape else other)
    given[pair[0]], given[pair[1]] = one, _cast(facing, other)
    for factor in _BEYOND:
        changed = {**state, **{name: _cast(factor * widened(state[name]), state[name]) for name in scales}}
        if keeps_most_digits(reference, given, changed):
            return given, changed
    return None


def _in_common(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Weights of which the reference takes deviations, or differences with its inputs, near each other and
    far from zero, and in the second case the inputs too: squares leave little of a squared difference."""
    takers, _ = takers_of(reference, inputs, state)
    moved = [name for name, found in takers.items() if found & (_DEVIATES | _DIFFERS)]
    if not moved:
        return None
    together = any(takers[name] & _DIFFERS and not takers[name] & _DEVIATES for name in moved)
    changed = {**state, **{name: _far(state[name], generator) for name in moved}}
    given = [
        _far(one, generator) if together and floats(one) and not is_positive(one) else one for one in inputs
    ]
    return (given, changed) if keeps_most_digits(reference, given, changed) else None


def _first_alone(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Of weights nothing but the first one or two of each row, and inputs as wide as they leave results: a
    power or a product that zero takes back has overflowed by then."""
    names = [name for name, one in reference.model.named_parameters() if name in state and one.ndim > 1]
    names = [name for name in names if floats(state[name]) and state[name].shape[-1] > _FIRST]
    wide = [floats(one) and not is_positive(one) for one in inputs]
    if not any(wide) or not names:
        return None
    changed = {**state, **{name: _beginning(state[name]) for name in names}}
    for power in _POWERS:
        given = [
            _cast(min(power, torch.finfo(one.dtype).max / 16) * widened(one), one)
            if far and floats(one)
            else one
            for one, far in zip(inputs, wide, strict=True)
        ]
        if keeps_most_digits(reference, given, changed):
            return given, changed
    return None


def _parts_apart(
    reference: Reference, inputs: Sequence[Input], state: State, generator: torch.Generator
) -> Found:
    """Of two inputs and two weights of float32 that are alike in size, parts of complex numbers say, the
    second 2^-14 times as large: of a difference of products of sums nothing is left beside the first."""
    second = _of_a_pair([one if floats(one) and one.dtype == torch.float32 else None for one in inputs])
    names = [name for name, one in reference.model.named_parameters() if name in state and one.ndim > 1]
    weight = _of_a_pair([state[name] if state[name].dtype == torch.float32 else None for name in names])
    operators = operators_of(reference, inputs, state) if second and weight else frozenset()
    if not second or not weight or operators.isdisjoint(PRODUCTS):
        return None
    given = [one * _PART if place == second and floats(one) else one for place, one in enumerate(inputs)]
    changed = {**state, names[weight]: state[names[weight]] * _PART}
    return (given, changed) if keeps_most_digits(reference, given, changed) else None


_PART = 2.0**-14


def _of_a_pair(tensors: Sequence[torch.Tensor | None]) -> int | None:
    """The place of the second, where there are two and they are of one shape."""
    both = [place for place, one in enumerate(tensors) if one is not None]
    shapes = {one.shape for one in tensors if one is not None}
    return both[1] if len(both) == 2 and len(shapes) == 1 else None


_FIRST = 2
_POWERS = (2.0**40, 2.0**20, 2.0**10)
"""Times usual inputs: of the first the fourth power is beyond float32, of the second the seventh."""


def _beginning(value: torch.Tensor) -> torch.Tensor:
    left = torch.zeros_like(value)
    left[..., :_FIRST] = value[..., :_FIRST]
    return left


def _scales(reference: Reference, inputs: Sequence[Input], state: State) -> list[str]:
    """Parameters of one sign throughout, single numbers among them, that something else is done with than
    to add them or put them beside others."""
    parameters = [name for name, _ in reference.model.named_parameters() if name in state]
    found = [name for name in parameters if floats(state[name]) and _of_one_sign(state[name])]
    added = added_only(reference, inputs, state, BESIDE)[0] if found else []
    return [name for name in found if name not in added]


def _of_one_sign(value: torch.Tensor) -> bool:
    signs = widened(value).sign()
    return value.numel() > 0 and bool((signs == signs.reshape(-1)[0]).all()) and bool(signs.all())


def _pair(inputs: Sequence[Input]) -> tuple[int, int] | None:
    """The first two floating inputs whose rows are as long, and of which neither is positive."""
    signed = [place for place, one in enumerate(inputs) if floats(one) and not is_positive(one)]
    return leading_pair([one if place in signed else None for place, one in enumerate(inputs)])


def _positive(value: Input, generator: torch.Generator) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return _cast(0.1 + torch.randn(value.shape, generator=generator).abs(), value)


def _far(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return _cast(_FAR + torch.randn(value.shape, generator=generator), value)


def _cast(found: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    return found.to(like.dtype)


REGIMES: Mapping[str, Callable[[Reference, Sequence[Input], State, torch.Generator], Found]] = {
    "scales below zero, wide inputs": _below_zero,
    "scales far out, rows opposed": partial(_facing, -1.0),
    "scales far out, rows alike": partial(_facing, 1.0),
    "weights far out in common": _in_common,
    "first weights alone, wide inputs": _first_alone,
    "second parts far smaller": _parts_apart,
    "weights beside an epsilon": weights_beside_an_epsilon,
    **BENT,
}
"""Asked for at the first shape alone."""
