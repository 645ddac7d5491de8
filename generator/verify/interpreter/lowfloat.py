"""Rounds float32 arrays the way GPUs do: to bfloat16, TF32 and 8-bit floats, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bits16 = npt.NDArray[np.uint16]
Float32 = npt.NDArray[np.float32]
Bits8 = npt.NDArray[np.uint8]

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


def _magnitudes(mantissa: int, last: int) -> Float32:
    """The numbers of an 8-bit float from 0 to its largest, whose bits are `last`, in the order of bits."""
    bits = np.arange(last + 1)
    exponent, rest = bits >> mantissa, (bits & ((1 << mantissa) - 1)) / (1 << mantissa)
    bias = (1 << (6 - mantissa)) - 1
    found: Float32 = np.ldexp(np.where(exponent > 0, 1 + rest, 2 * rest), exponent - bias).astype(np.float32)
    return found


E4M3, E5M2 = _magnitudes(3, 0x7E), _magnitudes(2, 0x7B)
"""0 to 448, and 0 to 57344; above that e4m3 has NaN, e5m2 infinity and three NaN."""

_NAN_BITS = np.uint8(0x7F)


def eight_to_f32(bits: Bits8, kind: Float32) -> Float32:
    """Exact."""
    beyond = np.full(128 - len(kind), np.nan, np.float32)
    if len(beyond) > 1:
        beyond[0] = np.inf
    sizes = np.concatenate([kind, beyond])
    return np.concatenate([sizes, -sizes])[bits]


def f32_to_eight(values: npt.NDArray[np.generic], kind: Float32) -> Bits8:
    """Round to nearest, ties to even, and at most to the largest number, infinities too: as
    `cvt.rn.satfinite.e4m3x2.f32` and `cvt.rn.satfinite.e5m2x2.f32` do."""
    exact = np.asarray(values, np.float32)
    size, middles = np.abs(exact), (kind[:-1] + kind[1:]) / 2
    below = np.searchsorted(middles, size)
    tied = middles[np.minimum(below, len(middles) - 1)] == size
    found = np.where(tied & (below % 2 == 1), below + 1, below).astype(np.uint8)
    signed = found | (np.signbit(exact).astype(np.uint8) << np.uint8(7))
    return np.where(np.isnan(exact), _NAN_BITS, signed)


def round_through_bf16(values: Float32) -> Float32:
    return bf16_to_f32(f32_to_bf16(values))
