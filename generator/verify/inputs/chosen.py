"""Scores of which the one that a class names is so far ahead that nothing is left to lose."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ....profiling.build import Input
from ..reference.eight_bits import is_eight_bits
from ..reference.oracle import Reference
from .draws import normal
from .extremes import is_finite
from .families import floats
from .integers import is_whole


def chosen_ahead(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` in which the score of each class that an input names is as far above zero as all others of its
    row are below: a loss of nothing, in which a margin beside the class itself would be lost. None where no
    integers may be classes of a row, or the reference has no number for that."""
    changed = list(inputs)
    for classes in filter(is_whole, inputs):
        for place, scores in enumerate(inputs):
            if floats(scores) and not is_eight_bits(scores):
                for axis in (1, -1):
                    if _chooses(classes, scores, axis):
                        changed[place] = _led(scores, classes, axis, generator)
                        break
    if all(one is was for one, was in zip(changed, inputs, strict=True)):
        return None
    answer = reference.tried(changed, state)
    return changed if answer is not None and all(map(is_finite, answer.outputs)) else None


def _chooses(classes: torch.Tensor, scores: torch.Tensor, axis: int) -> bool:
    """Whether `classes` may be one place along the axis for each row of scores."""
    if scores.ndim != classes.ndim + 1:
        return False
    rows = list(scores.shape)
    size = rows.pop(axis)
    return rows == list(classes.shape) and int(classes.max()) < size and bool((classes >= 0).any())


def _led(scores: torch.Tensor, classes: torch.Tensor, axis: int, generator: torch.Generator) -> torch.Tensor:
    far = min(2.0**_LED_BY, torch.finfo(scores.dtype).max / 4)
    others = (normal(scores, generator) - far).to(scores.dtype)
    named = classes.long().clamp_min(0).unsqueeze(axis)
    return others.scatter(axis, named, far)


_LED_BY = 26
"""Power of two: beside it, one is nothing in float32."""
