"""Tells whether a reference comes by numbers, on its way to the answer, that the dtype it then works in does
not hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from ..inputs.families import floats
from ..inputs.setting import Case
from ..process.recorder import COPIES
from ..reference.operators import plain_name, squares_inside, words
from ..reference.watching import Watching

_PRODUCTS = words("mm bmm addmm baddbmm mv convolution")

OF_MANY = frozenset(("prod", "cumprod"))


class _Met(NamedTuple):
    """One operator: the magnitude it gives, or squares on its way, and the largest its dtype holds."""

    name: str
    size: float
    most: float


class _Sizes(Watching):
    """What operators meet in the block, in their order; copies and casts compute nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[_Met] = []
        self.divided = 1.0  # by so much, before a product that a kernel may divide afterwards

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if func.is_view or name in COPIES:
            return
        floating = [one for one in pytree.tree_leaves(result) if floats(one)]
        self.met += [_Met(name, _size(one), torch.finfo(one.dtype).max) for one in floating]
        if name == "div":
            self.divided *= max(1.0, _size(args[0]) / (_size(result) or 1.0))
        self.met += [one._replace(size=one.size * self.divided) for one in self.met[-1:] if name in _PRODUCTS]
        if name in OF_MANY and floating:
            self.met.append(_Met(name, _largest_part(*args[:2]), torch.finfo(floating[0].dtype).max))
        if squares_inside(name):
            self.met.append(_Met(name, _size(args[0]) ** 2, torch.finfo(args[0].dtype).max))


def overflows(case: Case) -> bool:
    """Whether the float64 run of a case meets a finite number beyond what the case's own dtypes hold, and
    eager's where it widens: the square of a norm, say, of which an honest kernel makes infinity or NaN and
    eager's own form may not."""
    values = [one for one in (*case.inputs, *case.step.state.values()) if floats(one)]
    if not values:
        return False
    with _Sizes() as wide:
        case.setting.reference.oracle(case.inputs, case.step.state)
    with _Sizes() as own:
        case.setting.reference.eager(case.inputs, case.step.state)
    given = max(float(torch.finfo(one.dtype).max) for one in values)
    alike = [one.name for one in wide.met] == [one.name for one in own.met]
    most = [max(given, one.most) for one in own.met] if alike else [given] * len(wide.met)
    return any(one.size > limit for one, limit in zip(wide.met, most, strict=True))


def _largest_part(value: torch.Tensor, axis: Any = None) -> float:
    """The largest product of neighbours along an axis, or of all in a row: a tree of factors comes by it, and
    the product from one end on may not."""
    value, axis = (value, axis) if type(axis) is int else (value.reshape(-1), 0)
    if not value.numel():
        return 0.0
    magnitudes = value.double().abs().nan_to_num(1.0, 1.0, 1.0).clamp_min(torch.finfo(torch.float32).tiny)
    ends = magnitudes.log2().cumsum(axis)
    begins = torch.cat(
        [torch.zeros_like(ends.narrow(axis, 0, 1)), ends.narrow(axis, 0, ends.shape[axis] - 1)], axis
    )
    power = float((ends - begins.cummin(axis).values).max())
    return float(2.0 ** min(1000.0, power))


def _size(value: Any) -> float:
    """The largest finite magnitude in it; 0 where there is none."""
    if not floats(value) or not value.numel():
        return 0.0
    magnitudes = value.double().abs()
    return float(magnitudes.where(magnitudes.isfinite(), 0.0).max())
