"""Finds places of an op's inputs that its answer does not depend on, and puts enormous values, or NaN, there.

What a mask takes out must not be taken out by a difference: `total - masked` is right on tame values, and
loses all digits once one of the masked ones is large.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ...profiling.build import Input
from .eight_bits import widened
from .oracle import Reference

_SPIKE = 2.0**40
"""So large that its rounding error alone exceeds any usual value."""

_TRIES, _FOUND = 32, 3
"""Places that are tried, and spikes that are enough: of a mask that takes out a quarter, one time in ten
thousand none is found."""


def idle_spike(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with a spike at some places where it leaves the reference's answer as it is to the bit; None
    where none is found, or nothing among the inputs could be a mask."""
    return _idle(_SPIKE, reference, inputs, state, generator)


def idle_nan(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with NaN at some such places, as memory that is used again holds it: what the reference leaves
    out, a factor of zero does not."""
    return _idle(torch.nan, reference, inputs, state, generator)


def _idle(
    value: float,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    first = next((place for place, one in enumerate(inputs) if _floats(one)), None)
    if first is None or not any(map(_chooses, inputs)):
        return None
    answer, changed = reference.tried(inputs, state), _contiguous(inputs[first])
    if answer is None or any(bool(widened(one).isnan().any()) for one in answer.outputs):
        return None
    found = 0
    for place in torch.randint(0, max(1, changed.numel()), (_TRIES,), generator=generator).tolist():
        tried = changed.clone()
        tried.view(-1)[place] = value
        given = [*inputs[:first], tried, *inputs[first + 1 :]]
        if all(map(torch.equal, reference.eager(given, state).outputs, answer.outputs)):
            changed, found = tried, found + 1
        if found == _FOUND:
            break
    return [*inputs[:first], changed, *inputs[first + 1 :]] if found else None


def _chooses(value: Input) -> bool:
    """Truths, or numbers that may be lengths or places."""
    return isinstance(value, torch.Tensor) and not (value.is_floating_point() or value.is_complex())


def _floats(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel() > 0


def _contiguous(value: Input) -> torch.Tensor:
    assert isinstance(value, torch.Tensor)
    return value.contiguous()
