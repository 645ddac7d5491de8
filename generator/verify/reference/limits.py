"""Lets a reference ask for the limits of its own dtypes while it runs in wider ones: what it masks scores by
(`torch.finfo(scores.dtype).min`), or adds to a divisor, is part of the op."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

_FINFO = torch.finfo
_OF_NONE = torch.float32


@contextlib.contextmanager
def limits(asked: list[torch.dtype], lifted: bool) -> Iterator[None]:
    """Note in `asked`, in order, whose limits are asked for in the block; where it is `lifted` to float64,
    answer as was noted before, or for float32."""
    place, known = 0, list(asked)
    if not lifted:
        asked.clear()

    def answer(dtype: Any = None) -> Any:
        nonlocal place
        dtype = torch.get_default_dtype() if dtype is None else dtype
        if not lifted:
            asked.append(dtype)
        elif dtype == torch.float64:
            dtype = known[place] if place < len(known) else _OF_NONE
        place += 1
        return _FINFO(dtype)

    torch.finfo = answer  # type: ignore[assignment,misc]
    try:
        yield
    finally:
        torch.finfo = _FINFO  # type: ignore[misc]
