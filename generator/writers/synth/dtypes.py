"""The element types that kernels read, compute in and write, under one short name each."""

from __future__ import annotations

import torch

NAMES = {
    torch.float64: "fp64",
    torch.float32: "fp32",
    torch.float16: "fp16",
    torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "e4m3",
    torch.float8_e5m2: "e5m2",
    torch.int64: "int64",
    torch.int32: "int32",
    torch.int16: "int16",
    torch.int8: "int8",
    torch.uint8: "uint8",
    torch.bool: "int1",
}
UNSUPPORTED = "unsupported"
FLOATS = frozenset({"fp64", "fp32", "fp16", "bf16"})
SHORT_FLOATS = frozenset({"fp16", "bf16"})
EIGHT_BITS = frozenset({"e4m3", "e5m2"})
"""Floats that are only stored, cast and multiplied: torch has no other arithmetic on them."""

BYTES = {
    **{"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1},
    **{"int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "int1": 1},
}
TORCH = {short: str(dtype) for dtype, short in NAMES.items()}
TRITON = {short: source.replace("torch.", "tl.") for short, source in TORCH.items()} | {
    **{"int1": "tl.int1", "e4m3": "tl.float8e4nv", "e5m2": "tl.float8e5"}
}


def short_name(dtype: torch.dtype) -> str:
    """`bf16` for torch.bfloat16; `UNSUPPORTED` for complex and quantised types and other 8-bit floats."""
    return NAMES.get(dtype, UNSUPPORTED)


def is_float(dtype: str) -> bool:
    return dtype in FLOATS or dtype in EIGHT_BITS


def compute_type(dtype: str) -> str:
    """The type arithmetic runs in: fp32 for the shorter floats, the type itself otherwise."""
    return "fp32" if dtype in SHORT_FLOATS | EIGHT_BITS else dtype
