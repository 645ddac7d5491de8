"""Tells whether a reference comes by numbers, on its way to the answer, that the dtype it then works in does
not hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from ..inputs.families import floats
from ..inputs.setting import Case
from ..process.recorder import COPIES, EMPTY
from ..reference.operators import plain_name, squares_inside, words
from ..reference.watching import Watching

_PRODUCTS = words("mm bmm addmm baddbmm mv convolution")

OF_MANY = frozenset(("prod", "cumprod"))
"""Products of as many factors as an axis has."""


class _Met(NamedTuple):
    """One operator: the magnitude it gives, or squares on its way, and the largest its dtype holds."""

    name: str
    size: float
    most: float


class _Sizes(Watching):
    """What operators meet in the block, in their order; copies and casts compute nothing, nor does what
    allocates, whatever fresh memory holds."""

    def __init__(self) -> None:
        super().__init__()
        self.met: list[_Met] = []
        self.divided = 1.0  # by so much, before a product that a kernel may divide afterwards

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        name = plain_name(func)
        if func.is_view or name in COPIES | EMPTY:
            return
        floating = [one for one in pytree.tree_leaves(result) if floats(one)]
        self.met += [_Met(name, _size(one), torch.finfo(one.dtype).max) for one in floating]
        if name == "div":
            self.divided *= max(1.0, _size(args[0]) / (_size(result) or 1.0))
        self.met += [one._replace(size=one.size * self.divided) for one in self.met[-1:] if name in _PRODUCTS]
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


class _Parts(Watching):
    """The largest product of neighbours that a product of many in the block is made of."""

    largest = 0.0

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        if plain_name(func) in OF_MANY and floats(args[0]) and args[0].numel():
            axis = args[1] if len(args) > 1 and type(args[1]) is int else None
            self.largest = max(self.largest, _largest_part(args[0], axis))


def passes_in_parts(case: Case) -> bool:
    """Whether a product of many comes by a number beyond float32 where it is taken in another order, as by a
    tree of factors, whether or not the product from one end on does."""
    with _Parts() as parts:
        case.setting.reference.oracle(case.inputs, case.step.state)
    return bool(parts.largest > torch.finfo(torch.float32).max)


def _largest_part(value: torch.Tensor, axis: int | None) -> float:
    """Of neighbours along an axis, or of all in a row; what is no finite number counts as one."""
    value, axis = (value.reshape(-1), 0) if axis is None else (value, axis)
    finite = value.double().abs().nan_to_num(1.0, 1.0, 1.0)
    powers = finite.clamp_min(torch.finfo(torch.float32).tiny).log2()
    ends = powers.cumsum(axis)
    power = float((ends - (ends - powers).cummin(axis).values).max())
    return float(2.0 ** min(_MOST_POWER, power))


_MOST_POWER = 1000.0
"""More than any of these is beyond float32, and none beyond a float."""


def _size(value: Any) -> float:
    """The largest finite magnitude in it; 0 where there is none."""
    if not floats(value) or not value.numel():
        return 0.0
    magnitudes = value.double().abs()
    return float(magnitudes.where(magnitudes.isfinite(), 0.0).max())
