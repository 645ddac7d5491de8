"""Makes some of an op's inputs enormous and the others next to nothing: the order of products shows."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.oracle import Reference
from .extremes import is_finite
from .families import floats


def unlike_sizes(
    turn: int,
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    generator: torch.Generator,
) -> list[Input] | None:
    """`inputs` of which every other one of both signs, from the one at `turn` on, is far out and the others
    close in, each about as far: products of some are large or small on the way and usual in the end, which in
    another order they may not be. None where there are no two such, or the reference has no number."""
    signed = [place for place, one in enumerate(inputs) if _of_both_signs(one)]
    changed = list(inputs)
    for count, place in enumerate(signed):
        one = inputs[place]
        assert isinstance(one, torch.Tensor)
        changed[place] = one.contiguous() * (_FAR_OUT if count % 2 == turn else 1 / _FAR_OUT)
    answer = reference.tried(changed, state) if len(signed) > 1 else None
    return changed if answer is not None and all(map(is_finite, answer.outputs)) else None


_FAR_OUT = 2.0**66
"""Whose square is beyond float32."""


def _of_both_signs(value: Input) -> bool:
    if not floats(value) or is_eight_bits(value) or torch.finfo(value.dtype).max < _FAR_OUT:
        return False
    return bool((value < 0).any()) and bool((value > 0).any())
