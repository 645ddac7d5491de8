"""Lets counts of classes be read on tensors that hold no values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import torch
from torch._subclasses.fake_impls import op_implementations_dict

_BINCOUNT = torch.ops.aten.bincount.default


@contextlib.contextmanager
def counting() -> Iterator[None]:
    """Inside the block `bincount` is taken to give `minlength` counts, where that is given: who gives it
    knows all classes, and how many more there are would be known from values alone."""
    torchs_own = op_implementations_dict[_BINCOUNT]

    def counted(
        mode: Any, func: Any, values: torch.Tensor, weights: torch.Tensor | None = None, minlength: int = 0
    ) -> Any:
        if not minlength:
            return torchs_own(mode, func, values, weights, minlength)
        return values.new_empty(minlength, dtype=_sum_of(weights))

    with patch.dict(op_implementations_dict, {_BINCOUNT: counted}):
        yield


def _sum_of(weights: torch.Tensor | None) -> torch.dtype:
    """Float32 is summed as such, every other dtype of weights in float64; without any, integers count."""
    if weights is None:
        return torch.int64
    return torch.float32 if weights.dtype == torch.float32 else torch.float64
