"""Tells whether tensors live in one storage, and whether they have elements in common there."""

from __future__ import annotations

from collections.abc import Sequence

import torch

_LARGE_STORAGE = 1 << 28
"""Bytes beyond which nothing is looked for."""


def shares(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors live in the same storage."""
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0


def overlapping(outputs: Sequence[torch.Tensor]) -> tuple[tuple[int, int], ...]:
    """Pairs of outputs that have an element in common: what is written to one changes the other."""
    return tuple(
        (first, second)
        for second, other in enumerate(outputs)
        for first, one in enumerate(outputs[:second])
        if shares(one, other) and _meet(one, other)
    )


def _meet(one: torch.Tensor, other: torch.Tensor) -> bool:
    size = one.untyped_storage().nbytes()
    if not one.numel() or not other.numel() or size > _LARGE_STORAGE:
        return False
    seen = torch.zeros(size, dtype=torch.bool)
    _bytes_of(one, seen).fill_(True)
    return bool(_bytes_of(other, seen).any())


def _bytes_of(value: torch.Tensor, storage: torch.Tensor) -> torch.Tensor:
    """Where the bytes of a tensor stand in its storage, each once of what is expanded."""
    width = value.itemsize
    sides = [
        (1 if step == 0 else side, width * step)
        for side, step in zip(value.shape, value.stride(), strict=True)
    ]
    shape, strides = zip(*sides, (width, 1), strict=True)
    return storage.as_strided(shape, strides, width * value.storage_offset())
