"""Puts integers of all their bits into an op whose own sums of them run past the end of their type."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.operators import RANKS, words
from ..reference.oracle import Reference
from ..reference.wrapping import wraps
from .domain import operators_of
from .integers import floats_out, is_answered, is_whole
from .taken import DIVIDES
from .wide_integers import PICKS_BITS, any_bits

RUNNING_OVER = "integers that run over"

_WORD_BYTES = 4
"""Of fewer torch and kernels alike make wider ones on the way."""


def running_over(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with any integers of 32 or 64 bits, where the reference's own sums of them wrap around and it
    then picks out bits, by shifts say: a mean of two that does not run over is another one. None where there
    are none, usual ones wrap already (a hash), or it compares or divides: what stands in other order, the
    least of sums say, is meant for numbers that do not wrap."""
    operators = operators_of(reference, inputs, state)
    if operators.isdisjoint(PICKS_BITS) or not operators.isdisjoint(_TELLS):
        return None
    whole = [
        is_whole(one) and one.itemsize >= _WORD_BYTES and not names_classes(reference, inputs, state, one)
        for one in inputs
    ]
    changed = [
        any_bits(one, generator) if taken and is_whole(one) else one
        for taken, one in zip(whole, inputs, strict=True)
    ]
    answer = reference.tried(changed, state) if any(whole) else None
    if answer is None or floats_out(answer) or not is_answered(answer):
        return None
    return changed if wraps(reference, changed, state) and not wraps(reference, inputs, state) else None


_TELLS = RANKS | DIVIDES | words("lt le gt ge eq ne bucketize searchsorted")
