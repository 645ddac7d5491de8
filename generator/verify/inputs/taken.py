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
    and those do not; None where it takes none, or floating results come of it."""
    divides = any(choices) and not DIVIDES.isdisjoint(operators_of(reference, inputs, state))
    for places in choices:
        changed = list(inputs)
        for turn, place in enumerate(places):
            value = inputs[place]
            assert isinstance(value, torch.Tensor)
            changed[place] = _divisible(drawn(value, turn)) if divides else drawn(value, turn)
        answer = reference.tried(changed, state) if places else None
        ranks = all(
            bool((one < 0).any()) for place in places if isinstance(one := inputs[place], torch.Tensor)
        )
        if answer is not None and _floats_stay(reference, inputs, state, answer, ranks):
            if not wraps(reference, changed, state) or wraps(reference, inputs, state):
                return changed
            tried = (
                [less(one) if at in places else one for at, one in enumerate(changed)] for less in smaller
            )
            return next((fewer for fewer in tried if not wraps(reference, fewer, state)), changed)
    return None


def _floats_stay(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], answer: Ran, ranks: bool
) -> bool:
    """Whether none of the results floats, or those that do have nothing to do with what has been changed, or
    are chosen by it: by priorities, say, which lengths and places, never below zero, are not."""
    floating = [one for one in answer.outputs if one.is_floating_point()]
    if not floating:
        return True
    if ranks and _are_chosen(reference, inputs, state, answer):
        return True
    if len(floating) == len(answer.outputs):
        return False
    usual = reference.tried(inputs, state)
    return usual is not None and all(
        same(was, now)
        for was, now in zip(usual.outputs, answer.outputs, strict=True)
        if now.is_floating_point()
    )


def _are_chosen(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], answer: Ran
) -> bool:
    """Whether each floating number of the results goes in as it is, or comes out of usual numbers too."""
    usual = reference.tried(inputs, state)
    given = (*inputs, *state.values(), *(usual.outputs if usual else ()))
    known = [
        _exact(one).reshape(-1) for one in given if isinstance(one, torch.Tensor) and one.is_floating_point()
    ]
    chosen = [_exact(one) for one in answer.outputs if one.is_floating_point()]
    return bool(known) and all(bool(torch.isin(one, torch.cat(known)).all()) for one in chosen)


def _exact(value: torch.Tensor) -> torch.Tensor:
    return widened(value).double()


DIVIDES = frozenset(("div", "floor_divide", "remainder", "fmod"))


def _divisible(value: torch.Tensor) -> torch.Tensor:
    """Without zeros, and without the smallest number, whose quotient with -1 is none: processors trap."""
    least = torch.iinfo(value.dtype).min
    return value.masked_fill(value == 0, 1).masked_fill(value == least, least + 1)
