"""Lengths as long as the axis that they tell of, and those beside them."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Reference
from .compared import Compared, signed
from .places import names_each_once, rises

_SHARE = 0.25
"""Of the integers of a tensor that become one that is compared with."""


def full_lengths(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
    less: bool = False,
) -> list[Input] | None:
    """`inputs` with a length, among its lengths, that is as long as the axis, one of a single place, and one
    less by one than the axis, which is no multiple of anything and with `less` comes first; None where there
    are none such, or the reference has no answer."""
    if not any(map(signed, inputs)):
        return None
    with Compared() as seen:
        reference.tried(inputs, state)
    full = [_with_fullest(one, seen.fullest, generator, less) for one in inputs]
    moved = any(one is not was for one, was in zip(full, inputs, strict=True))
    return full if moved and reference.tried(full, state) is not None else None


def _with_fullest(
    value: Input, seen: Sequence[tuple[torch.Tensor, int]], generator: torch.Generator, less: bool
) -> Input:
    """Lengths among which one is as long as the axis that they tell of, one is a single place, and one is
    less by one than the axis: no multiple of anything."""
    if not signed(value):
        return value
    for lengths, fullest in seen:
        same = lengths.numel() == value.numel() and torch.equal(lengths.reshape(-1), value.reshape(-1))
        lowest = 1 if rises(value) else 0  # from zero on, beginnings rise
        if same and int(value.min()) >= lowest and int(value.max()) <= fullest:
            numbers = [fullest, 1, max(1, fullest - 1)]
            return holding(value, numbers[::-1] if less else numbers, generator)
    return value


def holding(value: Input, numbers: Sequence[int], generator: torch.Generator) -> Input:
    assert isinstance(value, torch.Tensor)
    ends = torch.iinfo(value.dtype)
    inside = [one for one in numbers if ends.min <= one <= ends.max]
    if each := names_each_once(value):
        inside = [one for one in dict.fromkeys(inside) if one not in value.tolist()]
    if not inside:
        return value
    share = 0 if each else int(_SHARE * value.numel())
    count = min(value.numel(), max(len(inside), share))
    places = torch.randperm(value.numel(), generator=generator)[:count]
    moved = value.contiguous().clone()
    moved.view(-1)[places] = torch.tensor(
        [inside[turn % len(inside)] for turn in range(count)], dtype=value.dtype
    )
    return moved
