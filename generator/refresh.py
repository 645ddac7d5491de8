"""Gives every timed call arguments of its own: the op's inputs with new contents at new addresses.

Floating-point tensors are scaled by a random factor in [0.5, 1), which keeps their distribution, zeros, signs
and order; integers, masks and scalars are copied as they are, since they may be indices. Strides and offsets
stay.
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

    def __call__(self, seed: int) -> tuple[Any, ...]:
        factor = 0.5 + random.Random(seed).random() / 2
        return tuple(_renewed(value, factor) for value in self._inputs)


def _renewed(value: Any, factor: float) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    storage = torch.empty(0, dtype=value.dtype, device=value.device).set_(value.untyped_storage())
    fresh = storage * factor if value.is_floating_point() else storage.clone()
    return fresh.as_strided(value.size(), value.stride(), value.storage_offset())
