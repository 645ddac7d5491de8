"""Tells whether a reference comes by numbers, on its way to the answer, that its own dtype does not hold."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from .operators import plain_name, squares_inside
from .setting import Case
from .watching import Watching


class _Largest(Watching):
    """The largest magnitude that an operator gives, or squares on its way, in the block."""

    def __init__(self) -> None:
        super().__init__()
        self.found = 0.0

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        self.found = max([self.found, *map(_size, pytree.tree_leaves(result))])
        if squares_inside(plain_name(func)):
            self.found = max(self.found, _size(args[0]) ** 2)


def overflows(case: Case) -> bool:
    """Whether the float64 run of a case meets a finite number beyond what the case's own dtypes hold: the
    square of a norm, say, of which an honest kernel makes infinity or NaN and eager's own form may not."""
    values = [one.dtype for one in (*case.inputs, *case.step.state.values()) if isinstance(one, torch.Tensor)]
    floating = [dtype for dtype in values if dtype.is_floating_point]
    if not floating:
        return False
    with _Largest() as largest:
        case.setting.reference.oracle(case.inputs, case.step.state)
    return bool(largest.found > max(float(torch.finfo(dtype).max) for dtype in floating))


def _size(value: Any) -> float:
    """The largest finite magnitude in it; 0 where there is none."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or not value.numel():
        return 0.0
    magnitudes = value.double().abs()
    return float(magnitudes.where(magnitudes.isfinite(), 0.0).max())
