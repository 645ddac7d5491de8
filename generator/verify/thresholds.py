"""Puts into an op's inputs the numbers that the reference compares with: `>` and `>=` differ there alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...profiling.build import Input
from .operators import plain_name
from .oracle import Reference
from .watching import Watching

_COMPARES = {"gt", "ge", "lt", "le"}


class _Compared(Watching):
    """What stands on the right of comparisons in the block, zero apart, which other families hold."""

    def __init__(self) -> None:
        super().__init__()
        self.bounds: list[torch.Tensor] = []

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in _COMPARES and args[0].is_floating_point():
            bound = torch.as_tensor(args[1]).detach().float().clone()
            self.bounds += [bound] * bool(bound.any())


def met_thresholds(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` whose first rows are what the reference compares with, and whose last rows are its negative;
    None where it compares with nothing that fits into a row."""
    with _Compared() as seen:
        answer = reference.tried(inputs, state)
    changed = [_meeting(one, seen.bounds) for one in inputs]
    if answer is None or all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    return None if reference.tried(changed, state) is None else changed


def _meeting(value: Input, bounds: Sequence[torch.Tensor]) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.ndim == 0:
        return value
    rows = value.numel() // max(1, value.shape[-1])
    fitting = [one for one in bounds if one.numel() in (1, value.shape[-1])]
    if not fitting or rows < 2 * len(fitting):
        return value
    moved = value.contiguous().clone()
    flat = moved.view(rows, -1)
    for place, bound in enumerate(fitting):
        flat[place], flat[-1 - place] = bound.reshape(-1), -bound.reshape(-1)
    return moved
