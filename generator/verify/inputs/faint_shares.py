"""Shares of next to nothing beside usual ones, in rows that have a sum of one all the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import torch

from ....profiling.build import Input
from ..reference.eight_bits import widened
from ..reference.oracle import Reference
from .domain import distributions
from .integers import is_answered

_OF_A_ROW = 1 / 3
_FAINTEST, _FAINT = -100.0, -12.0
"""Powers of two: below any bound that is put under a logarithm, and no denormal numbers in float32."""


def faint_shares(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` of which a third of each row of shares, the largest of it apart, is nearly nothing. None where
    no rows have a sum of one, or the reference has no number for it."""
    places = distributions((inputs,))
    changed = [
        _with_faint(one, generator) if place in places and isinstance(one, torch.Tensor) else one
        for place, one in enumerate(inputs)
    ]
    return changed if places and is_answered(reference.tried(changed, state)) else None


def _with_faint(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    exact = widened(value).double()
    chosen = torch.rand(exact.shape, generator=generator) < _OF_A_ROW
    chosen &= exact != exact.amax(-1, keepdim=True)
    least = max(_FAINTEST, log2(torch.finfo(value.dtype).tiny) + 1)
    powers = least + (_FAINT - least) * torch.rand(exact.shape, generator=generator, dtype=torch.float64)
    faint = powers.exp2() * chosen
    usual = exact * ~chosen
    usual *= (1 - faint.sum(-1, keepdim=True)) / usual.sum(-1, keepdim=True)
    return (usual + faint).to(value.dtype)
