"""Gives the interpreter what a card's own arithmetic shows, so that no kernel can tell the two apart by it.

Casts to integers saturate, and NaN is cast to zero (PTX ISA, `cvt`); NaN made by arithmetic has no sign
bit. A compiler may fuse a product and a sum into one rounding, and quotients, roots and exponentials are off
by a bit now and then: on demand they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from .numerics import ExactBuilder, is_bf16, plain, scalar

_QUIET = {np.dtype(np.float32): 0x7FFFFFFF, np.dtype(np.float16): 0x7FFF}
_APPROXIMATE = {np.exp, np.exp2, np.log, np.log2, np.sin, np.cos, np.sqrt}
_SHORT = 0xFFF
"""Bits that are zero at the end of numbers such as one, which are given exactly."""

_WHOLE: dict[Any, Any] = {tl.int32: np.int32, tl.int64: np.int64, tl.uint32: np.uint32, tl.uint64: np.uint64}


class CompiledBuilder(ExactBuilder):
    """`fused`: products that are added to something are not rounded before, and what a card approximates is
    off by a bit where its last one is set."""

    fused = False

    def create_fp_to_si(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        return self._saturated(src, dst_type)

    def create_fp_to_ui(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        return self._saturated(src, dst_type)

    def _saturated(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        kind = _WHOLE.get(scalar(dst_type))
        if kind is None:
            return self.cast_impl(src, dst_type)
        values, ends = plain(src).astype(np.float64), np.iinfo(kind)
        inside = (values > float(ends.min)) & (values < float(ends.max))
        whole = np.where(inside, values, 0.0).astype(kind)
        whole = np.where(values >= float(ends.max), kind(ends.max), whole)
        whole = np.where(values <= float(ends.min), kind(ends.min), whole)
        return TensorHandle(whole, scalar(dst_type))

    def create_bitcast(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        quiet = _QUIET.get(src.data.dtype)
        cast = super().create_bitcast(src, dst_type)
        if quiet is None or cast.data.dtype.kind not in "iu" or not np.isnan(src.data).any():
            return cast
        return TensorHandle(np.where(np.isnan(src.data), cast.data.dtype.type(quiet), cast.data), cast.dtype)

    def create_cat(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """In any order, as its users have to allow."""
        return TensorHandle(np.concatenate([lhs.data, rhs.data])[::-1].copy(), lhs.dtype.scalar)

    def create_reshape(self, arg: TensorHandle, shape: Any, allow_reorder: bool) -> TensorHandle:
        """Likewise where elements may be reordered."""
        data = arg.data.reshape(-1)[::-1] if allow_reorder else arg.data
        return TensorHandle(np.ascontiguousarray(data.reshape(shape)), arg.dtype.scalar)

    def create_fmul(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        product = self.binary_op(lhs, rhs, np.multiply)
        if self.fused and lhs.data.dtype == rhs.data.dtype == np.float32 and not is_bf16(lhs):
            product.factors = (lhs.data, rhs.data)
        return product

    def create_fdiv(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """`/` is `div.full.f32` on a card; `tl.div_rn` rounds to the nearest."""
        quotient = self.binary_op(lhs, rhs, np.divide)
        if not self.fused or quotient.data.dtype != np.float32 or is_bf16(quotient):
            return quotient
        whole = quotient.data.astype(np.float64) * rhs.data == lhs.data
        return TensorHandle(np.where(whole, quotient.data, _off_by_a_bit(quotient.data)), quotient.dtype)

    def unary_op(self, arg: TensorHandle, op: Any) -> TensorHandle:
        found = super().unary_op(arg, op)
        approximate = self.fused and op in _APPROXIMATE and found.data.dtype == np.float32
        return TensorHandle(_off_by_a_bit(found.data), found.dtype) if approximate else found

    def create_precise_sqrt(self, arg: TensorHandle) -> TensorHandle:
        return super().unary_op(arg, np.sqrt)

    def create_fadd(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        return self._sum(lhs, rhs, 1.0)

    def create_fsub(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        return self._sum(lhs, rhs, -1.0)

    def _sum(self, lhs: TensorHandle, rhs: TensorHandle, sign: float) -> TensorHandle:
        """One of the two at most is a product that is not rounded: a multiply-add has three operands."""
        left, right = getattr(lhs, "factors", None), getattr(rhs, "factors", None)
        if left is None and right is None:
            return self.binary_op(lhs, rhs, np.add if sign > 0 else np.subtract)
        one = _wide(left) if left is not None else lhs.data.astype(np.float64)
        other = _wide(right) if left is None and right is not None else rhs.data.astype(np.float64)
        return TensorHandle((one + sign * other).astype(np.float32), lhs.dtype)


def _off_by_a_bit(values: Any) -> Any:
    bits = values.view(np.uint32)
    odd = (bits & 1 == 1) & np.isfinite(values)
    moved = (bits & ~np.uint32(1)).view(np.float32)
    return np.where(odd & (bits & _SHORT != 0), moved, values).astype(np.float32)


def _wide(factors: tuple[Any, Any]) -> Any:
    return factors[0].astype(np.float64) * factors[1]
