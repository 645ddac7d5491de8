"""How wrong the op itself is in its own dtypes, where few numbers say so and are right by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from ....profiling.build import Input
from ..inputs.families import floats
from ..reference.eight_bits import is_eight_bits
from ..reference.measures import farther
from ..reference.oracle import Ran, Reference

_TOWERS = 4
"""Times less than the largest value of an output is what still counts beside it: an error is told as a share
of the largest."""


def as_far_off_as_usual(
    eager: Ran,
    right: Ran,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    draws: int,
    enough: int,
) -> Ran:
    """The op's own result, each value as far off as it is beside these inputs too, in outputs of which fewer
    than `enough` values count: numbers of two bytes on the way to one of four err by chance, and one that
    towers over all others is right now and then."""
    few = [_few(one, enough) for one in right.outputs]
    if not any(few):
        return eager
    for draw in range(draws):
        moved = [_beside(one, torch.Generator().manual_seed(draw)) for one in inputs]
        own, there = reference.eager(moved, state), reference.oracle(moved, state)
        off = zip(few, right.outputs, eager.outputs, own.outputs, there.outputs, strict=True)
        eager = replace(eager, outputs=[_as_far_off(*one) if tells else one[1] for tells, *one in off])
    return eager


def _few(right: torch.Tensor, enough: int) -> bool:
    """Whether fewer than `enough` of its values are not small beside the largest."""
    if not right.is_floating_point() or is_eight_bits(right) or not right.numel():
        return False
    size = right.abs().nan_to_num(0.0, 0.0)
    return int((size * _TOWERS >= size.max()).sum()) < enough


def _beside(value: Input, generator: torch.Generator) -> Input:
    """With numbers a last bit larger, or as they are."""
    if not floats(value) or is_eight_bits(value):
        return value
    larger = torch.randint(0, 2, value.shape, generator=generator) * torch.finfo(value.dtype).eps
    return (value * (1 + larger)).to(value.dtype)


def _as_far_off(
    right: torch.Tensor, eager: torch.Tensor, own: torch.Tensor, there: torch.Tensor
) -> torch.Tensor:
    if own.shape != right.shape:
        return eager
    return farther(right, eager, (right + (own - there)).to(eager.dtype))
