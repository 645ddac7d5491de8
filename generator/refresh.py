"""Gives every timed call arguments of its own: the op's inputs with new contents at new addresses.

Every element of a floating-point tensor goes through a curve that is drawn for the call: odd, rising,
between a quarter of the element and all of it. That keeps zeros, signs, order, ties and infinities, and no
result follows from that for other contents: a factor alone would leave what a normalisation gives unchanged,
and scale what a product gives. Integers, masks and scalars are copied as they are, since they may be indices;
only where a tensor of integers is all the op gets are its elements shifted around. Strides and offsets stay.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import torch


class Refresh:
    """`refresh(seed)` gives the same contents for the same seed, at other addresses each time."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._inputs = list(inputs)
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
        self._shifts = len(tensors) == 1 and not (tensors[0].is_floating_point() or tensors[0].is_complex())

    def __call__(self, seed: int) -> tuple[Any, ...]:
        dice = random.Random(seed)
        scale, bend = 0.5 + dice.random() / 2, 0.2 + 0.3 * dice.random()
        places = dice.getrandbits(30) if self._shifts else 0
        return tuple(_renewed(value, scale, bend, places) for value in self._inputs)


def _renewed(value: Any, scale: float, bend: float, places: int) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    storage = torch.empty(0, dtype=value.dtype, device=value.device).set_(value.untyped_storage())
    if value.is_floating_point() or value.is_complex():
        fresh = _bent(storage, scale, bend)
    else:
        fresh = storage.roll(places % max(1, storage.numel())) if places else storage.clone()
    return fresh.as_strided(value.size(), value.stride(), value.storage_offset())


def _bent(values: torch.Tensor, scale: float, bend: float) -> torch.Tensor:
    """x * scale * (1 - bend * |x| / (1 + |x|)), with one new tensor of the values' size for real values."""
    if values.element_size() == 1:  # eight-bit floats have no arithmetic of their own
        return _bent(values.float(), scale, bend).to(values.dtype)
    share = values.abs().add_(1).reciprocal_()  # 1 / (1 + |x|): 0 for infinities, where |x| / |x| is none
    share.mul_(bend * scale).add_((1 - bend) * scale)
    return share.mul_(values) if share.dtype == values.dtype else share * values
