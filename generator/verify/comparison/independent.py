"""Finds out that an op takes nothing from its inputs: it returns a class token that meets no patch, say."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.oracle import Reference


def ignores_inputs(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], outputs: list[torch.Tensor]
) -> bool:
    """Whether `outputs` stay as they are to the last bit when every input is NaN, infinite, as large as its
    type goes, or zero. Where an input is a number or holds other things than numbers that float, the answer
    is no."""
    tensors = [one for one in inputs if isinstance(one, torch.Tensor)]
    if len(tensors) < len(inputs) or not all(one.is_floating_point() for one in tensors):
        return False
    if any(map(is_eight_bits, tensors)):
        return False
    return all(
        (ran := reference.tried(strange, state)) is not None and all(map(torch.equal, ran.outputs, outputs))
        for strange in _strange(tensors)
    )


def _strange(tensors: Sequence[torch.Tensor]) -> list[list[Input]]:
    """The same tensors, filled with what leaves a trace in whatever is computed of it."""
    contents = (math.nan, math.inf, -math.inf, None, 0.0)
    return [
        [torch.full_like(one, torch.finfo(one.dtype).max if value is None else value) for one in tensors]
        for value in contents
    ]
