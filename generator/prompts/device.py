"""Says what of a device matters for an operator: limits always, matrix rates where there are products."""

from __future__ import annotations

from ...hardware_specs.spec import DeviceSpec
from ...profiling.trace import TracedOp
from .prompt import Item, Part

PRODUCTS = {"matmul", "conv", "attention", "rnn"}
_ASYNC = ("cp_async", "tma", "tma_multicast", "direct_to_lds", "clusters", "distributed_shared_memory")
_MATRIX = (
    "wgmma", "tcgen05", "mfma", "wmma", "tf32_mma", "bf16_mma", "fp8_mma", "tensor_core_fp16", "sparse_2to4",
)  # fmt: skip
_POINTWISE = ("tanh_approx", "packed_half", "packed_fp32", "bf16x2_fma", "l2_persistence")
_RATES = {"float16": "fp16", "bfloat16": "bf16", "float64": "fp64"}


def device_part(spec: DeviceSpec, traced: TracedOp) -> Part:
    """One item: a list of facts, each with its unit; what nobody is known to have read is not mentioned."""
    products = bool(PRODUCTS.intersection(traced.op_kinds))
    unit = spec.unit_name
    reached = f", {spec.dram_copy_gb_s:.0f} GB/s reached by a large copy" if spec.dram_copy_gb_s else ""
    units = f"{spec.unit_count} {unit}s, " if spec.unit_count else ""
    facts = [
        f"{spec.name}: {spec.vendor} {spec.architecture}, target `{spec.target}`",
        f"{units}warps of {spec.warp_size} threads; at most {spec.max_warps_per_unit} warps and "
        f"{spec.max_blocks_per_unit} blocks per {unit}, {spec.max_threads_per_block} threads a block",
        f"{spec.registers_per_unit} registers of 32 bits per {unit}, at most {spec.max_registers_per_thread} "
        "a thread; a kernel that spills is refused",
        f"{_kib(spec.shared_bytes_per_block)} of shared memory a block, {_kib(spec.shared_bytes_per_unit)} "
        f"per {unit}",
        f"L2 {_kib(spec.l2_bytes)}; DRAM {spec.dram_gb_s:.0f} GB/s at its peak{reached}",
        f"dense peaks in TFLOPS (int8: TOPS): {_peaks(spec, traced, products)}",
    ]
    features = [name for name in (*_ASYNC, *(_MATRIX if products else _POINTWISE)) if name in spec.features]
    facts += [f"it has: {', '.join(features)}"] if features else []
    return Part("device", "The card", (Item("\n".join(f"- {fact}" for fact in facts)),), needed=True)


def _peaks(spec: DeviceSpec, traced: TracedOp, products: bool) -> str:
    plain = ["fp32", *(_RATES[name] for name in traced.dtypes if name in _RATES)]
    wanted = [name for name in spec.peak_tflops if name in plain or (products and name.startswith("tensor_"))]
    return ", ".join(f"{name} {spec.peak_tflops[name]:g}" for name in wanted)


def _kib(count: int) -> str:
    return f"{count / 2**20:g} MiB" if count >= 2**20 else f"{count / 2**10:g} KiB"
