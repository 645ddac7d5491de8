"""Moves numbers far from zero, where deviations are taken: of two bytes, where a mean that is rounded to
their dtype before it is taken from them is off by a part of what is left; and of float32, where a mean of
squares less the square of the mean is."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.budget import FLOORS
from ..reference.measures import difference
from ..reference.on_a_card import PRODUCTS
from ..reference.oracle import Ran, Reference
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
    """`inputs` of which the first that may be shifted as a whole, for all that the reference makes of it, is
    about a number halfway between two of its dtype, of two bytes, or deviates by one from a thousand: with
    numbers near one an epsilon may be all that counts. None where there is no such, or where the reference
    itself, in its own dtype, takes such deviations for others: products of what is far from zero differ by
    rounding. Of two bytes, where it comes of no statistics either: a softmax of scores is the same, too."""
    known = [floats(one) and one.dtype in _MOST_OFF and one.numel() >= _FEW for one in inputs]
    usual = reference.tried_exactly(inputs, state) if any(known) else None
    if usual is None or not usual.operators.isdisjoint(PRODUCTS):
        return None
    for place, given in enumerate(inputs):
        if not known[place] or not floats(given):
            continue
        if given.dtype in _CLASSES and usual.operators.isdisjoint(STATISTICS):
            continue
        if not _is_shifted_away(reference, inputs, state, place, usual):
            continue
        drawn = _about(given, generator) if given.dtype in _CLASSES else _from_afar(given, generator)
        changed = [*inputs[:place], drawn, *inputs[place + 1 :]]
        return changed if keeps_digits(reference, changed, state, _MOST_OFF[given.dtype]) else None
    return None


_FEW = 8

_MOST_OFF = {dtype: FLOORS[name] for dtype, name in _CLASSES.items()} | {torch.float32: 2.0**-10}
"""What the reference may be off by; in float32 half a step of a thousand is a part of deviations of one."""

_FAR = 1000.0


def _from_afar(given: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return _FAR + torch.randn(given.shape, generator=generator)


def _about(given: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    half_a_step = 2.0 ** int(torch.tensor(_BASE).log2()) * torch.finfo(given.dtype).eps / 2
    spread = half_a_step / (_TIMES * FLOORS[_CLASSES[given.dtype]])
    drawn = torch.randn(given.shape, generator=generator)
    return (_BASE + half_a_step + spread * drawn).to(given.dtype)


def _is_shifted_away(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], place: int, usual: Ran
) -> bool:
    """Whether an output is the `usual` one for an input that is larger by one number throughout."""
    given = inputs[place]
    assert isinstance(given, torch.Tensor)
    moved = reference.tried_exactly([*inputs[:place], given.double() + _BASE, *inputs[place + 1 :]], state)
    return moved is not None and any(
        one.is_floating_point() and one.shape == other.shape and difference(one, other).worst < _ALIKE
        for one, other in zip(moved.outputs, usual.outputs, strict=True)
    )


_ALIKE = 1e-6
"""Of float64's rounding, with room."""
