"""Rounds float32 arrays the way GPUs do: to bfloat16 and to TF32, each truncated or to nearest, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bits16 = npt.NDArray[np.uint16]
Float32 = npt.NDArray[np.float32]

_QUIET_NAN = np.uint16(0x7FC0)


def bf16_to_f32(bits: Bits16) -> Float32:
    """Exact: bfloat16 is the upper half of a float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(values: npt.NDArray[np.generic], *, truncate: bool = False) -> Bits16:
    """Round to nearest, ties to even, as `cvt.rn.bf16.f32` does; `truncate` drops the lower half instead."""
    exact = np.ascontiguousarray(values, np.float32)
    bits = exact.view(np.uint32)
    bias = np.uint32(0) if truncate else np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    rounded = ((bits + bias) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(exact), _QUIET_NAN, rounded).reshape(np.shape(values))


def tf32(values: Float32) -> Float32:
    """Keep the 10 mantissa bits that a tensor core reads; it ignores the 13 below, and does not round."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return (bits & np.uint32(0xFFFFE000)).view(np.float32).reshape(values.shape)


def tf32_nearest(values: Float32) -> Float32:
    """Round to those 10 bits, ties away from zero, as `cvt.rna.tf32.f32` does before a product is split."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32).reshape(values.shape)
    return np.where(np.isfinite(values), rounded, values)


def round_through_bf16(values: Float32) -> Float32:
    return bf16_to_f32(f32_to_bf16(values))
