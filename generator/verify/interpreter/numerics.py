"""Puts right the arithmetic that Triton's interpreter gets wrong, so that it computes what a GPU computes.

Measured on triton 3.7.1: bfloat16 values are held as raw 16-bit integers, so that `+` on them
yields NaN and `tl.dot` errors of 1e10, and the cast to bfloat16 truncates where hardware rounds to nearest
even; `tl.dot` in TF32 computes in full fp32; `tl.maximum` spreads NaN where hardware drops it; a lane that is
masked off without `other` reads 0 where hardware leaves it undefined; a load of one element loses an `other`
of zero; casts to 8-bit floats lose the carry of their rounding, and NaN is a number after casts from them.
Each of these would pass wrong kernels or refuse right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import InterpreterOptions, TensorHandle

from .lowfloat import (
    E4M3,
    E5M2,
    bf16_to_f32,
    eight_to_f32,
    f32_to_bf16,
    f32_to_eight,
    round_through_bf16,
    tf32,
    tf32_nearest,
)
from .updates import UpdatingBuilder

_ON_CUDA = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
_ON_HIP = ("ieee", "bf16x3", "bf16x6")
_BYTE = 8
_EIGHT_BITS = {"fp8e4nv": E4M3, "fp8e5": E5M2}


def dot_options(arch: str) -> InterpreterOptions:
    """The modes of `tl.dot` that Triton's compiler has for `arch`; where TF32 is one, it is the default.

    From `HIPOptions` and `CUDAOptions` of triton 3.7.1: gfx942 alone of AMD's has TF32 (as XF32).
    """
    allowed: tuple[str, ...] = _ON_CUDA
    if arch.startswith("gfx"):
        allowed = (*_ON_HIP, "tf32") if arch == "gfx942" else _ON_HIP
    known = {item.name for item in fields(InterpreterOptions)}
    wanted = {
        "default_dot_input_precision": "tf32" if "tf32" in allowed else "ieee",
        "allowed_dot_input_precisions": allowed,
        "sanitize_overflow": False,  # without debug it asserts nothing, and takes a quarter of the time
    }
    return InterpreterOptions(**{name: value for name, value in wanted.items() if name in known})


def smallest_operands(arch: str) -> Callable[[Any, Any], tuple[int, int, int]]:
    """The fewest rows, columns and terms that `tl.dot` takes on `arch`; fewer terms end compilation.

    A tensor core of NVIDIA's multiplies 16 terms at a time (32 of one byte); AMD's compiler falls back on
    multiply-adds (`min_dot_size` of both backends of triton 3.7.1).
    """
    if arch.startswith("gfx"):
        return lambda left, right: (1, 1, 1)

    def smallest(left: Any, right: Any) -> tuple[int, int, int]:
        terms = 32 if left.scalar.primitive_bitwidth == _BYTE else 16
        if int(left.shape[-1]) < terms:  # an assertion would tell a tuner to pass a configuration over
            raise ValueError(f"Input shapes should have M >= 1, N >= 1 and K >= {terms}")
        return 1, 1, terms

    return smallest


def indexable(patch_tensor: Callable[..., None]) -> Callable[..., None]:
    """Lets `range` take a tensor of one element: triton 3.6 converts it in a way that numpy 2.4 refuses."""

    def patched(tensor: Any, *scope: Any) -> None:
        patch_tensor(tensor, *scope)
        tensor.__index__ = lambda self: int(self.handle.data.item())

    return patched


def keeping_other(load: Callable[..., Any]) -> Callable[..., Any]:
    """A load that tells the builder of its `other`: the builder gets `other if other else None`, and where a
    tensor of one element has a truth value, zero is lost."""

    def told(semantic: Any, ptr: Any, mask: Any, other: Any, *rest: Any) -> Any:
        semantic.builder.other_given = other is not None
        try:
            return load(semantic, ptr, mask, other, *rest)
        finally:
            semantic.builder.other_given = False

    return told


def scalar(dtype: Any) -> Any:
    """The type of one element."""
    return getattr(dtype, "scalar", dtype)


def is_bf16(handle: TensorHandle) -> bool:
    """Whether its values are held as raw 16-bit integers."""
    return handle.data.dtype.char == _RAW and bool(scalar(handle.dtype) == tl.bfloat16)


_RAW = np.dtype(np.uint16).char  # looked at first: types of values are quicker to tell apart than Triton's


def plain(handle: TensorHandle) -> Any:
    """The values as numpy can compute with them."""
    if (kind := _eight_bits(handle.dtype)) is not None:
        return eight_to_f32(handle.data, kind)
    return bf16_to_f32(handle.data) if is_bf16(handle) else handle.data


def _eight_bits(dtype: Any) -> Any:
    """The magnitudes of an 8-bit float, which is held as raw bits; None for other types."""
    return _EIGHT_BITS.get(str(scalar(dtype)))


def _held(values: Any, dtype: Any) -> TensorHandle:
    """Values as the interpreter holds them; a comparison's result keeps its booleans."""
    dtype = scalar(dtype)
    if values.dtype == np.bool_:
        return TensorHandle(values, tl.int1)
    if dtype == tl.bfloat16:
        return TensorHandle(f32_to_bf16(values), dtype)
    wanted = triton_interpreter._get_np_dtype(dtype)
    return TensorHandle(values if values.dtype == wanted else values.astype(wanted), dtype)


class ExactBuilder(UpdatingBuilder):
    """Overrides the few methods through which all of the interpreter's arithmetic goes."""

    def get_bf16(self, value: float) -> TensorHandle:
        return TensorHandle(f32_to_bf16(np.array([value], np.float32)), tl.bfloat16)

    def get_all_ones_value(self, type: Any) -> TensorHandle:
        """What `~` flips by: of unsigned numbers too, which numpy makes of no -1."""
        kind = triton_interpreter._get_np_dtype(type)
        ones = np.ones(1, kind) if kind == np.bool_ else ~np.zeros(1, kind)
        return TensorHandle(ones, scalar(type))

    def binary_op(self, lhs: TensorHandle, rhs: TensorHandle, op: Callable[..., Any]) -> TensorHandle:
        if not (is_bf16(lhs) or is_bf16(rhs)):
            return super().binary_op(lhs, rhs, op)
        return _held(op(plain(lhs), plain(rhs)), lhs.dtype)

    def create_add(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        """Of two booleans one bit: true and true is false, as in the code that Triton makes of it."""
        return self.binary_op(lhs, rhs, np.logical_xor if _booleans(lhs, rhs) else np.add)

    def create_sub(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        return self.binary_op(lhs, rhs, np.logical_xor if _booleans(lhs, rhs) else np.subtract)

    def unary_op(self, arg: TensorHandle, op: Callable[..., Any]) -> TensorHandle:
        return _held(op(plain(arg)), arg.dtype) if is_bf16(arg) else super().unary_op(arg, op)

    def ternary_op(
        self, lhs: TensorHandle, rhs: TensorHandle, other: TensorHandle, op: Callable[..., Any]
    ) -> TensorHandle:
        if not (is_bf16(rhs) or is_bf16(other)):
            return super().ternary_op(lhs, rhs, other, op)
        return _held(op(plain(lhs), plain(rhs), plain(other)), other.dtype)

    def create_minnumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        return self.binary_op(lhs, rhs, np.fmin)

    def create_maxnumf(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
        return self.binary_op(lhs, rhs, np.fmax)

    def create_fma(self, x: TensorHandle, y: TensorHandle, z: TensorHandle) -> TensorHandle:
        """One rounding: a product of two floats of 24 bits or fewer is exact in float64."""
        if x.data.dtype == np.float64:
            return super().create_fma(x, y, z)
        wide = plain(x).astype(np.float64) * plain(y).astype(np.float64) + plain(z).astype(np.float64)
        return _held(wide.astype(np.float32), z.dtype)

    def create_erf(self, arg: TensorHandle) -> TensorHandle:
        values = torch.from_numpy(np.ascontiguousarray(plain(arg), np.float64))
        return _held(torch.special.erf(values).numpy(), arg.dtype)

    def create_rsqrt(self, arg: TensorHandle) -> TensorHandle:
        return _held(1 / np.sqrt(plain(arg)), arg.dtype)

    def cast_impl(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
        if _eight_bits(src.dtype) is not None or _eight_bits(dst_type) is not None:
            return self.create_fp_to_fp(src, dst_type, None)
        if src.data.dtype == np.bool_ or is_bf16(src) or scalar(dst_type) == tl.bfloat16:
            return _held(plain(src).astype(_numpy_type(dst_type)), dst_type)
        return super().cast_impl(src, dst_type)

    def create_fp_to_fp(self, src: TensorHandle, dst_type: Any, rounding_mode: Any) -> TensorHandle:
        if scalar(dst_type) == tl.bfloat16:
            bits = f32_to_bf16(plain(src), truncate="RTZ" in str(rounding_mode))
            return TensorHandle(bits, tl.bfloat16)
        if (kind := _eight_bits(dst_type)) is not None:
            return TensorHandle(f32_to_eight(plain(src), kind), scalar(dst_type))
        if _eight_bits(src.dtype) is not None:
            return _held(plain(src), dst_type)
        return super().create_fp_to_fp(src, dst_type, rounding_mode)

    def create_dot(
        self, a: TensorHandle, b: TensorHandle, d: TensorHandle, input_precision: Any, most: int
    ) -> TensorHandle:
        eight = _eight_bits(a.dtype) is not None
        if scalar(d.dtype) == tl.float16 and a.data.dtype == np.float16:
            return _held(_in_half(a.data, b.data, d.data), d.dtype)
        if not (a.data.dtype == np.float32 or eight or is_bf16(a) or is_bf16(b)):
            return super().create_dot(a, b, d, input_precision, most)
        left, right = plain(a), plain(b)
        precision = "IEEE" if eight or is_bf16(a) else str(input_precision).rsplit(".", 1)[-1].upper()
        total = plain(d).astype(np.float32) + _product(left, right, precision)
        return _held(total, d.dtype)

    def create_masked_load(
        self,
        ptrs: TensorHandle,
        mask: TensorHandle,
        other: TensorHandle | None,
        cache: Any,
        evict: Any,
        volatile: bool,
    ) -> TensorHandle:
        if other is None and not mask.data.all():
            other = _undefined(ptrs)
        return super().create_masked_load(ptrs, mask, other, cache, evict, volatile)


def _booleans(*handles: TensorHandle) -> bool:
    return all(handle.data.dtype == np.bool_ for handle in handles)


def _numpy_type(dst_type: Any) -> Any:
    """bfloat16 passes through float32; everything else has a numpy type of its own."""
    element = scalar(dst_type)
    return np.float32 if element == tl.bfloat16 else triton_interpreter._get_np_dtype(element)


def _undefined(ptrs: TensorHandle) -> TensorHandle:
    """NaN in every lane, or a number that is none of the op's, so that one that reaches a result shows."""
    element = ptrs.get_element_ty()
    if element == tl.bfloat16:
        return TensorHandle(np.full(ptrs.data.shape, 0x7FC0, np.uint16), element)
    if _eight_bits(element) is not None:
        return TensorHandle(np.full(ptrs.data.shape, 0x7F, np.uint8), element)
    dtype = triton_interpreter._get_np_dtype(element)
    telling: float = np.nan if dtype.kind == "f" else True if dtype.kind == "b" else np.iinfo(dtype).max // 3
    return TensorHandle(np.full(ptrs.data.shape, telling, dtype), element)


def _product(left: Any, right: Any, precision: str) -> Any:
    """`left @ right` in fp32 as a tensor core in this mode forms it. Of split operands the smallest terms are
    added first; NaN that they make of an infinity is dropped before the largest is."""
    if precision == "IEEE":
        return np.matmul(left, right, dtype=np.float32)
    if precision == "TF32":
        return np.matmul(tf32(left), tf32(right))
    split = _tf32_parts if precision == "TF32X3" else _bf16_parts
    a, b = split(left), split(right)
    order = 2 if precision == "BF16X6" else 1  # terms a[i] @ b[j] with i + j <= order
    terms = [(i, j) for i in range(len(a)) for j in range(len(b)) if 0 < i + j <= order]
    small = sum(np.matmul(a[i], b[j]) for i, j in sorted(terms, key=sum, reverse=True))
    return np.where(np.isnan(small), np.float32(0), small) + np.matmul(a[0], b[0])


_HALF_DEPTH = 16


def _in_half(left: Any, right: Any, total: Any) -> Any:
    """`total + left @ right` with sums in float16, as `mma.m16n8k16` with an f16 accumulator keeps them: 16
    products at a time."""
    for start in range(0, left.shape[-1], _HALF_DEPTH):
        part = slice(start, start + _HALF_DEPTH)
        product = np.matmul(left[..., part], right[..., part, :], dtype=np.float32)
        total = (total.astype(np.float32) + product).astype(np.float16)
    return total


def _tf32_parts(values: Any) -> tuple[Any, Any]:
    """The nearest TF32 number, and of the rest what a tensor core reads: `cvt.rna.tf32.f32` and a subtraction
    in the code that triton 3.7.1 makes of "tf32x3" for sm_80, sm_90 and sm_100. A product of two is off by at
    most 2^-21 of it: 2^-22 for the two rests, which are not multiplied, and 2^-23 for the bit that each may
    lose."""
    nearest = tf32_nearest(values)
    return nearest, tf32(values - nearest)


def _bf16_parts(values: Any) -> list[Any]:
    """`values` as a sum of three numbers that bfloat16 holds exactly."""
    found = []
    for _ in range(3):
        found.append(round_through_bf16(values))
        values = values - found[-1]
    return found
