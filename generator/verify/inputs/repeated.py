"""Repeats the first half of an op's inputs in the second, or nearly: what is found there has a rival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from .families import floats

NEARLY_TWICE = "rows nearly twice"

_LEAST = 4


def rows_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Along the first axis and the last of each floating input, where the reference gives integers: places,
    of which the first has to be told. None where it gives none."""
    if not _gives_places(reference, inputs, state):
        return None
    changed = [_twice(one, {0, one.ndim - 1}) if floats(one) else one for one in inputs]
    return changed if reference.tried(changed, state) is not None else None


def nearly_twice(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise four times along the last two axes, each number of the copies off by 2^-10 to 2^-20 of itself:
    where places are packed beside the leading bits of what they are compared by, the wrong one is found. How
    many bits are left, and how near the nearest is already, is not known: rivals are near in many degrees, of
    inputs that may be added up in the same ones."""
    if not _gives_places(reference, inputs, state):
        return None
    return _nearly(reference, inputs, state, generator, frozenset(range(len(inputs))))


def one_nearly_twice(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """Likewise one floating input alone, the first or the second of two: rivals of one, and the other's rows
    as unlike as they were, each of which may show it."""
    floating = [place for place, one in enumerate(inputs) if floats(one) and one.ndim > 1]
    if len(floating) != _SIDES or not _gives_places(reference, inputs, state):
        return None
    return _nearly(reference, inputs, state, generator, frozenset(floating[turn : turn + 1]))


def _nearly(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
    chosen: frozenset[int],
) -> list[Input] | None:
    changed, degrees = list[Input](), dict[torch.Size, torch.Tensor]()
    for place, one in enumerate(inputs):
        if place not in chosen or not floats(one) or not one.ndim:
            changed.append(one)
            continue
        often = _repeated(one, {one.ndim - 1, max(0, one.ndim - 2)}, _RIVALS)
        sign = torch.randint(0, 2, one.shape, generator=generator) * 2 - 1
        off = sign * 2.0 ** -degrees.setdefault(one.shape, _degrees(one.shape, generator))
        exact = widened(often)
        changed.append(torch.where(widened(one) == exact, exact, exact * (1 + off)).to(one.dtype))
    return changed if reference.tried(changed, state) is not None else None


def _degrees(shape: torch.Size, generator: torch.Generator) -> torch.Tensor:
    """How near, in powers of two: much alike in a row, or in a column. The nearest rivals of many degrees are
    hardly ever the best."""
    nearest = torch.randint(0, _SPREAD, shape, generator=generator)
    lines = torch.zeros((), dtype=torch.long)
    for axis in (-1, -min(2, len(shape))):
        sides = list(shape)
        sides[axis] = 1
        lines = lines.maximum(torch.randint(_NEAR, _NEARER + 2 - _SPREAD, sides, generator=generator))
    return lines + nearest


_RIVALS, _SIDES = 4, 2
"""How often a row stands, its nearly equal copies counted; and inputs of which one alone has such."""

_NEAR, _NEARER, _SPREAD = 10, 20, 3
"""Powers of two: places take six bits to twelve of what they are packed into; of float32 three are left. And
how many of them there are in one line."""


def _gives_places(reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor]) -> bool:
    answer = reference.tried(inputs, state)
    return answer is not None and not all(one.is_floating_point() for one in answer.outputs)


def most_weights(state: Mapping[str, torch.Tensor]) -> int:
    """The greatest number of rows among weights."""
    return max((len(one) for one in state.values() if _has_rows(one)), default=0)


def state_twice(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights of which the second half of the rows is the first once more: codes of a codebook, say."""
    return {name: _twice(one, {0}) if _has_rows(one) else one for name, one in state.items()}


def _has_rows(value: torch.Tensor) -> bool:
    return value.ndim > 1 and value.is_floating_point()


def _twice(value: torch.Tensor, axes: set[int]) -> torch.Tensor:
    return _repeated(value, axes, 2)


def _repeated(value: torch.Tensor, axes: set[int], times: int) -> torch.Tensor:
    """The first part of each axis stands in the others as well; in fewer where an axis is short."""
    moved = value.contiguous().clone()
    for axis in axes if value.ndim else ():
        size = value.shape[axis]
        part = size // min(times, max(2, size // 2))
        for start in range(part, size - part + 1, part) if size >= _LEAST else ():
            moved.narrow(axis, start, part).copy_(moved.narrow(axis, 0, part).clone())
    return moved
