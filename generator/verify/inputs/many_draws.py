"""Of many draws of an op file's own inputs those whose few integers are the largest and the smallest."""

from __future__ import annotations

import torch

from ....profiling.build import Input
from .setting import Setting

_FEW = 8
"""Integers of one tensor: a length or a prefix for each of a batch's rows. Of many, some are far out."""

_DRAWS = 16


def farthest_draws(setting: Setting) -> dict[str, list[Input]]:
    """By name; none where no input holds few integers, or all draws of them are alike."""
    short = [place for place, one in enumerate(setting.shipped) if _few(one)]
    if not short:
        return {}
    drawn = [setting.op.instantiate(setting.seed + 700 + turn)[1] for turn in range(_DRAWS)]
    sums = [sum(_sum(inputs[place]) for place in short) for inputs in drawn]
    most, least = sums.index(max(sums)), sums.index(min(sums))
    return {"largest integers": drawn[most], "smallest integers": drawn[least]} if most != least else {}


def _few(value: Input) -> bool:
    kinds = (torch.int16, torch.int32, torch.int64)
    return isinstance(value, torch.Tensor) and value.dtype in kinds and 0 < value.numel() <= _FEW


def _sum(value: Input) -> int:
    assert isinstance(value, torch.Tensor)
    return int(value.sum())
