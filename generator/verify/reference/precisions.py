"""The classes of precision, and which of them an op works in."""

from __future__ import annotations

from collections.abc import Sequence

import torch

DTYPE_CLASS = {torch.float64: "fp64", torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}
_LOWER_THAN = ("fp64", "fp32", "tf32", "fp16", "bf16")


def precision_class(dtypes: Sequence[torch.dtype], declared: str) -> str:
    """The lower of what the op itself works in and what was declared for the candidate."""
    own = [DTYPE_CLASS[dtype] for dtype in dtypes if dtype in DTYPE_CLASS] or ["fp32"]
    if declared == "fp32":  # the default: as good as the op itself
        return max(own, key=_LOWER_THAN.index)
    return max([*own, declared], key=_LOWER_THAN.index)
