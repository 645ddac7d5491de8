"""Numbers beside tensors, each for itself at what kernels take for granted, and truths in every combination.

All of them changed at once hide what one alone would show: equal ones stay equal, and what two truths say
together is said by no call.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice, product, zip_longest
from typing import Any, TypeGuard

import torch

from ....profiling.build import Input
from ..reference.measures import difference
from ..reference.operators import plain_name, words
from ..reference.oracle import Reference
from ..reference.watching import Watching
from .other_numbers import differ, fits, with_defaults

_MOST = 12
"""Calls with such numbers, the most telling ones first."""

_TRUTHS = 3
"""Of so many truths every combination; of more each alone, and all."""

_ABOVE = 1.5
"""At least so large is what is larger: no share, and no slope below one."""

_FEWER = 2.0**-10
"""Times what is next to nothing, where the reference has no number at zero."""

_LOST, _LEAST = 16.0, 1e-6
"""Eager may be off by so many times what it is off by as shipped, or by the least that counts."""


def lone_numbers(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]
) -> list[list[Input]]:
    """`inputs` with other truths, and with one other number, where the reference's results keep their shapes,
    change, and hang on no rounding; none where it takes neither."""
    inputs = with_defaults(reference.model, inputs, (int, float))
    if all(isinstance(one, torch.Tensor) for one in inputs):
        return []
    answers = _Answers(reference, inputs, state)
    return list(islice(filter(answers.differ, _others(inputs, answers)), _MOST))


def at_number(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], number: float
) -> list[list[Input]]:
    """`inputs` with each of their numbers, for itself, at this one, where the reference's results keep their
    shapes and hang on no rounding; a whole one stays whole."""
    inputs = with_defaults(reference.model, inputs, (int, float))
    changed = [
        _with(inputs, place, type(one)(number))
        for place, one in enumerate(inputs)
        if _is_number(one) and one != number and (isinstance(one, float) or float(number).is_integer())
    ]
    return list(filter(_Answers(reference, inputs, state).are_certain, changed)) if changed else []


class _Answers:
    """Whether the reference has others to numbers than to those shipped, in value alone."""

    def __init__(self, reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> None:
        self.reference, self.state = reference, state
        self.was = reference.tried(inputs, state)
        self.off = self._off_by(inputs)

    def differ(self, given: Sequence[Input]) -> bool:
        now = self.reference.tried(given, self.state)
        moves = self.was is not None and now is not None and differ(self.was, now)
        return moves and self.are_certain(given)

    def are_certain(self, given: Sequence[Input]) -> bool:
        """And neither rounding nor strain (see `_Strained`) has brought them about."""
        with _Strained() as seen:
            now = self.reference.tried(given, self.state)
        if self.was is None or now is None or seen.found or not fits(self.was, now):
            return False
        return self._off_by(given) <= _LOST * max(self.off, _LEAST)

    def _off_by(self, given: Sequence[Input]) -> float:
        own = self.reference.tried(given, self.state)
        right = self.reference.tried_exactly(given, self.state)
        if own is None or right is None:
            return math.inf
        pairs = zip(own.outputs, right.outputs, strict=True)
        return max((difference(one, other.double()).worst for one, other in pairs), default=0.0)


class _Strained(Watching):
    """Whether something is divided by zero, or held above what is more than what it is held below: kernels
    then differ by which they do last."""

    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if name in _BETWEEN and len(args) > 2 and None not in args[1:3]:
            self.found |= bool(torch.as_tensor(args[1] > args[2]).any())
        if name in _DIVIDES and len(args) > 1:
            self.found |= bool((torch.as_tensor(args[1]) == 0).any())


_BETWEEN, _DIVIDES = words("clamp clamp_ hardtanh hardtanh_"), words("div div_ remainder fmod floor_divide")


def _others(inputs: Sequence[Input], answers: _Answers) -> Iterator[list[Input]]:
    """One change after the other, the most telling ones of each number first. What is above zero since the
    reference divides by it, say, takes no other sign."""
    truths = [place for place, one in enumerate(inputs) if isinstance(one, bool)]
    for flips in sorted(product((False, True), repeat=len(truths)), key=sum):
        flipped = [place for place, flip in zip(truths, flips, strict=True) if flip]
        if flipped and (len(truths) <= _TRUTHS or len(flipped) in (1, len(truths))):
            yield [not one if place in flipped else one for place, one in enumerate(inputs)]
    changes = []
    for place, one in enumerate(inputs):
        if _is_number(one):
            takes_zero = answers.are_certain(_with(inputs, place, type(one)(0)))
            changes.append([_with(inputs, place, value) for value in _values(one, takes_zero)])
    yield from (one for turn in zip_longest(*changes) for one in turn if one is not None)


def _values(number: float, takes_zero: bool) -> list[float]:
    if isinstance(number, int):
        return [0, 1]
    larger = math.copysign(max(4 * abs(number), _ABOVE), number)
    return [*((0.0, -number) if takes_zero else (number * _FEWER,)), larger, 1.0]


def _is_number(value: Input) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _with(inputs: Sequence[Input], place: int, value: Input) -> list[Input]:
    return [*inputs[:place], value, *inputs[place + 1 :]]
