"""Puts other integers in the place of an op's, where its reference takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import same, widened
from ..reference.oracle import Ran, Reference
from ..reference.wrapping import wraps
from .domain import operators_of


def first_taken(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    choices: Sequence[Sequence[int]],
    drawn: Callable[[torch.Tensor, int], torch.Tensor],
    *smaller: Callable[[Input], Input],
) -> list[Input] | None:
    """`inputs` with what is `drawn` for a tensor, by its turn, at the first of these choices of places that
    the reference takes, or with the first of what is `smaller` than that where its own numbers would run over
    and those do not; None where it takes none, or floating results are made of it."""
    divides = any(choices) and not DIVIDES.isdisjoint(operators_of(reference, inputs, state))
    for places in choices:
        changed = list(inputs)
        for turn, place in enumerate(places):
            value = inputs[place]
            assert isinstance(value, torch.Tensor)
            changed[place] = _divisible(drawn(value, turn)) if divides else drawn(value, turn)
        answer = reference.tried(changed, state) if places else None
        if answer is not None and _floats_stay(reference, inputs, state, answer, places):
            if not wraps(reference, changed, state) or wraps(reference, inputs, state):
                return changed
            tried = (
                [less(one) if at in places else one for at, one in enumerate(changed)] for less in smaller
            )
            return next((fewer for fewer in tried if not wraps(reference, fewer, state)), changed)
    return None


def _floats_stay(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    answer: Ran,
    places: Sequence[int],
) -> bool:
    """Whether none of the results floats, or those that do have nothing to do with what has been changed at
    these `places`, or are chosen by it: by priorities, say, which lengths and places to look up, never below
    zero, are not."""
    floating = [place for place, one in enumerate(answer.outputs) if one.is_floating_point()]
    usual = reference.tried(inputs, state) if floating else None
    if usual is None:
        return not floating
    if all(_goes_below_zero(inputs[place]) for place in places) and _are_chosen(inputs, state, usual, answer):
        return True
    some_stay = len(floating) < len(answer.outputs)
    return some_stay and all(same(usual.outputs[place], answer.outputs[place]) for place in floating)


def _goes_below_zero(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and bool((value < 0).any())


def _are_chosen(inputs: Sequence[Input], state: dict[str, torch.Tensor], usual: Ran, answer: Ran) -> bool:
    """Whether each floating number of the results goes in as it is, or comes out of `usual` numbers too."""
    known = torch.cat(_floating([*inputs, *state.values(), *usual.outputs]))
    return all(bool(torch.isin(one, known).all()) for one in _floating(answer.outputs))


def _floating(values: Sequence[Input]) -> list[torch.Tensor]:
    """All of their floating numbers, in float64."""
    tensors = (one for one in values if isinstance(one, torch.Tensor) and one.is_floating_point())
    return [widened(one).double().reshape(-1) for one in tensors]


DIVIDES = frozenset(("div", "floor_divide", "remainder", "fmod"))


def _divisible(value: torch.Tensor) -> torch.Tensor:
    """Without zeros, and without the smallest number, whose quotient with -1 is none: processors trap."""
    least = torch.iinfo(value.dtype).min
    return value.masked_fill(value == 0, 1).masked_fill(value == least, least + 1)
