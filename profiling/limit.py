"""The least time that a device's own peaks allow; what claims to be faster was not measured right.

Stricter than a roofline estimate has to be, since it accuses: it counts only what no honest kernel can avoid.
"""

from __future__ import annotations

from math import prod

from ..hardware_specs.spec import DeviceSpec
from .eight_bits import eight_bit_units
from .needed import needed_flops
from .trace import TensorSpec, TracedOp

_ITEM_BYTES = {
    "float64": 8,
    "int64": 8,
    "complex64": 8,
    "float32": 4,
    "int32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int16": 2,
}
_PRODUCTS = frozenset(("matmul", "attention"))


def least_us(traced: TracedOp, spec: DeviceSpec, *, saves_arithmetic: bool = False) -> float:
    """The larger of the memory and the arithmetic bound, in microseconds; the memory bound alone for a kernel
    that is known to need fewer operations than the op as written.

    Memory: with a cold cache every input byte crosses the DRAM bus once, at peak; written bytes may still lie
    in the L2 when the clock stops, so only what exceeds it counts. Arithmetic: only for matrix products, at
    the fastest unit of their precision class (TF32 and split products for fp32), as far as results need them;
    convolutions are left out, since Winograd's form needs fewer operations than the count.
    """
    written = sum(_bytes(output) for output in traced.outputs)
    crossing = max(0, traced.bytes_min - min(written, spec.l2_bytes))
    memory_us = crossing / spec.dram_gb_s / 1e3
    peak = None if saves_arithmetic else _product_peak_tflops(traced, spec)
    return max(memory_us, needed_flops(traced) / peak / 1e6 if peak else 0.0)


def by_parts_us(traced: TracedOp, spec: DeviceSpec, *, needed: bool = False) -> float | None:
    """The least time for all of a float32 op's products and convolutions, or for what its results need of
    them, each made of several of a lower class on the tensor cores (three in TF32 or six in bfloat16): a
    kernel that takes longer is no wonder, however long a library takes that multiplies in float32. None where
    the device has nothing faster than that, or the op is none of these.
    """
    kinds = {*_PRODUCTS, "conv"} & set(traced.op_kinds)
    if not kinds or "float32" not in traced.dtypes or eight_bit_units(traced):
        return None
    peaks = spec.peak_tflops
    parts = max(peaks.get("tensor_tf32", 0.0) / 3, peaks.get("tensor_bf16", 0.0) / 6)
    flops = needed_flops(traced) if needed else traced.flops
    return flops / parts / 1e6 if parts > peaks.get("fp32", 0.0) else None


def _product_peak_tflops(traced: TracedOp, spec: DeviceSpec) -> float | None:
    kinds = set(traced.op_kinds)
    if not _PRODUCTS & kinds or "conv" in kinds:
        return None
    single = "float32" in traced.dtypes
    keys = ("tensor_tf32", "fp32") if single else ("tensor_bf16", "tensor_fp16", "fp32", "tensor_tf32")
    keys = (*keys, *eight_bit_units(traced))
    return max((spec.peak_tflops[key] for key in keys if key in spec.peak_tflops), default=None)


def _bytes(tensor: TensorSpec) -> int:
    return prod(tensor.shape) * _ITEM_BYTES.get(tensor.dtype, 1)
