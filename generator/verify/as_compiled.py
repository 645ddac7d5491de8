"""Gives the interpreter what a card's own arithmetic shows, so that no kernel can tell the two apart by it.

Casts to integers saturate, and NaN is cast to zero (PTX ISA, `cvt`); NaN made by arithmetic has no sign
bit. A compiler may fuse a product and a sum into one rounding: on demand they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle

from .numerics import ExactBuilder, is_bf16, plain, scalar

_QUIET = {np.dtype(np.float32): 0x7FFFFFFF, np.dtype(np.float16): 0x7FFF}
_WHOLE: dict[Any, Any] = {tl.int32: np.int32, tl.int64: np.int64, tl.uint32: np.uint32, tl.uint64: np.uint64}


class CompiledBuilder(ExactBuilder):
    """`fused`: products that are added to something are not rounded before."""

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


def _wide(factors: tuple[Any, Any]) -> Any:
    return factors[0].astype(np.float64) * factors[1]
