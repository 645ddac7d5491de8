"""Moves numbers of two bytes far from zero, where deviations are taken: a mean that is rounded to their dtype
before it is taken from them is off by a part of what is left."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.budget import FLOORS
from ..reference.measures import difference
from ..reference.on_a_card import PRODUCTS
from ..reference.oracle import Reference
from .digits import keeps_digits
from .families import STATISTICS, floats

_BASE = 96.0
"""Between two powers of two. How far from zero makes no difference beyond, for steps grow as numbers do."""

_TIMES = 8
"""Half a step of the dtype is so many times the error of its class, beside what numbers deviate by: they are
near each other by no more than that, so that float32 takes their variance in whatever way."""

_CLASSES = {torch.bfloat16: "bf16", torch.float16: "fp16"}


def far_deviations(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which the first one of two bytes that may be shifted as a whole, for all that the reference
    makes of it, is about a number halfway between two of its dtype. None where there is no such, or where the
    reference itself, in its own dtype, takes such deviations for others."""
    for place, given in enumerate(inputs):
        if not floats(given) or given.dtype not in _CLASSES or given.numel() < _FEW:
            continue
        if not _is_shifted_away(reference, inputs, state, place):
            continue
        changed = [*inputs[:place], _about(given, generator), *inputs[place + 1 :]]
        near = keeps_digits(reference, changed, state, FLOORS[_CLASSES[given.dtype]])
        return changed if near else None
    return None


_FEW = 8


def _about(given: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    half_a_step = 2.0 ** int(torch.tensor(_BASE).log2()) * torch.finfo(given.dtype).eps / 2
    spread = half_a_step / (_TIMES * FLOORS[_CLASSES[given.dtype]])
    drawn = torch.randn(given.shape, generator=generator)
    return (_BASE + half_a_step + spread * drawn).to(given.dtype)


def _is_shifted_away(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], place: int
) -> bool:
    """Whether an output is the same for an input that is larger by one number throughout, and statistics are
    what it comes of: a softmax of scores is, too. Products of what is far from zero differ by rounding."""
    usual = reference.tried_exactly(inputs, state)
    if usual is None or usual.operators.isdisjoint(STATISTICS) or not usual.operators.isdisjoint(PRODUCTS):
        return False
    given = inputs[place]
    assert isinstance(given, torch.Tensor)
    moved = reference.tried_exactly([*inputs[:place], given.double() + _BASE, *inputs[place + 1 :]], state)
    return moved is not None and any(
        one.is_floating_point() and one.shape == other.shape and difference(one, other).worst < _ALIKE
        for one, other in zip(moved.outputs, usual.outputs, strict=True)
    )


_ALIKE = 1e-6
"""Of float64's rounding, with room."""
