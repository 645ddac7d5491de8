"""Finds the calls whose answer is exact whatever the order of summation: linear ops on small integers.

There a tolerance has no business: one element read twice or left out of a long sum is below every relative
budget, and not below zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ....profiling.build import Input
from .eight_bits import widened
from .oracle import Ran

_LARGEST = 2.0**20
"""Sums up to here are exact in float32 accumulation, partial sums of mixed signs included."""

_MOST_INPUTS = 4

Run = Callable[[Sequence[Input]], Ran]


def must_be_exact(run: Run, inputs: Sequence[Input], others: Sequence[Input], right: Ran, eager: Ran) -> bool:
    """Whether every output is exact here: the op is affine in each input, `right` (the oracle's answer to
    whole-numbered `inputs`) is whole, and the op's own dtype gives it exactly.

    `run` is the oracle, `others` a second draw of the inputs, by which additivity is tried.
    """
    places = [place for place, one in enumerate(inputs) if _floats(one)]
    if not 0 < len(places) <= _MOST_INPUTS or not all(map(_whole_and_held, right.outputs, eager.outputs)):
        return False
    return all(_affine(run, inputs, others, right, place) for place in places)


def _whole_and_held(right: torch.Tensor, eager: torch.Tensor) -> bool:
    if not right.is_floating_point():
        return True
    whole = torch.equal(right, right.round()) and bool((right.abs() <= _LARGEST).all())
    return whole and torch.equal(eager.double(), right)


def _affine(run: Run, inputs: Sequence[Input], others: Sequence[Input], right: Ran, place: int) -> bool:
    """f(x + y) + f(0) = f(x) + f(y) in the input at `place`, the others held."""

    def at(value: torch.Tensor) -> list[torch.Tensor]:
        return run([*inputs[:place], value, *inputs[place + 1 :]]).outputs

    x, y = inputs[place], others[place]
    assert isinstance(x, torch.Tensor)
    assert isinstance(y, torch.Tensor)
    together, nothing, second = at((widened(x) + widened(y)).to(x.dtype)), at(torch.zeros_like(x)), at(y)
    answers = zip(together, nothing, right.outputs, second, strict=True)
    return all(
        both.shape == one.shape and torch.equal(both + none, one + two) for both, none, one, two in answers
    )


def _floats(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()
