"""Puts the place past the last one into an op's integers, where the reference has something there."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.classes import names_classes
from ..reference.eight_bits import widened
from ..reference.operators import words
from ..reference.oracle import Reference
from .integers import is_whole
from .places import Uses

_EVERY = 4

_LOOKS_UP = words("index_select index gather embedding")
"""And puts nothing down, where one place twice would be two programs' race."""


def past_the_last(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of whose integers a quarter are the length of an axis of another tensor, where all of them lie
    below it: of a table with a row for what was dropped, which is none of the table that goes in. None where
    integers are more than places to look up, or classes, or the reference has nothing there."""
    for place, value in enumerate(inputs):
        if not is_whole(value):
            continue
        with Uses([value], _LOOKS_UP) as uses:
            reference.tried(inputs, state)
        if uses.otherwise or not uses.names or names_classes(reference, inputs, state, value):
            continue
        for length in sorted(_lengths(inputs, value, state)):
            moved = value.contiguous().clone()
            moved.view(-1)[::_EVERY] = length
            given = [*inputs[:place], moved, *inputs[place + 1 :]]
            answer = reference.tried(given, state)
            if answer is not None and all(bool(widened(one).isfinite().all()) for one in answer.outputs):
                return given
    return None


def _lengths(inputs: Sequence[Input], value: torch.Tensor, state: dict[str, torch.Tensor]) -> set[int]:
    """Lengths of axes that all these places lie below, and none of which is much longer than they need."""
    tables = [one for one in (*inputs, *state.values()) if isinstance(one, torch.Tensor) and one is not value]
    highest = int(value.max())
    return {side for one in tables for side in one.shape if highest < side <= torch.iinfo(value.dtype).max}
