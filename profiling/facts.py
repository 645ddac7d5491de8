"""Turns what is known of an operator and its kernels into named numbers, the vocabulary of rules.yaml.

A number that cannot be known is left out: the rules then answer "undecided". No value is ever made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..hardware_specs.spec import DeviceSpec
from .eight_bits import all_in_eight_bits, eight_bit_units
from .roofline import roofline
from .static import KernelReport
from .waves import launch_share_pct, wave_facts

if TYPE_CHECKING:
    from .profile import Profile
    from .trace import TracedOp

_MMA = ("mma", "wgmma", "tcgen05", "mfma", "wmma")
_MATMUL_KINDS = frozenset(("matmul", "conv", "attention", "rnn"))
_BITS = {
    **{"float64": 64, "float32": 32, "bfloat16": 16, "float16": 16},
    **{"float8_e4m3fn": 8, "float8_e5m2": 8},
}


def graph_facts(traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    """What the graph and the device's table say before any code exists."""
    kind, products = compute_kind(traced), _is_matmul_like(traced)
    return work_facts(traced.flops, traced.bytes_min, spec, kind) | {
        "matmul_like": float(products),
        "untimed": 1.0,
    }


def work_facts(flops: float, bytes_min: float, spec: DeviceSpec, kind: str) -> dict[str, float]:
    """What a piece of work takes at least on a device; `kind` is the rate of its arithmetic (fp32,
    tensor_bf16, ...)."""
    roof = roofline(flops, bytes_min, spec, kind)
    found = {
        "flops": flops,
        "bytes_min": bytes_min,
        "intensity": roof.intensity,
        "ridge": roof.ridge,
        "memory_us": roof.memory_us,
        "compute_us": roof.compute_us,
        "roofline_us": roof.attainable_us,
        "dram_peak_gb_s": spec.dram_gb_s,
        "compute_peak_tflops": roof.peak_tflops,
    }
    if spec.unit_count is not None:
        found["unit_count"] = spec.unit_count
    if {"fp32", "fp64"} <= set(spec.peak_tflops):
        found["fp64_slowdown"] = spec.peak_tflops["fp32"] / spec.peak_tflops["fp64"]
    return found


def eager_facts(traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    """What eager PyTorch would launch and move."""
    from .eager import eager_cost  # loads torch, which counters alone have no need of

    cost = eager_cost(traced)
    return _traffic_facts(cost.bytes_moved, cost.launches, traced, spec)


def profile_facts(profile: Profile) -> dict[str, float]:
    """What holds for the candidate as a whole: its kernels counted, its traffic, its time."""
    traced, spec, found = profile.traced, profile.spec, dict[str, float]()
    launches = sum(kernel.launches for kernel in profile.static.kernels) if profile.static else 0
    if profile.traffic_ratio is not None:
        found |= _traffic_facts(profile.traffic_ratio * traced.bytes_min, launches, traced, spec)
    elif launches:
        found["launches"] = launches
        found["estimated_us_per_launch"] = traced.bytes_min / spec.dram_gb_s / 1e3 / launches
    if profile.timing is not None:
        found |= time_facts(profile.timing.median_us, graph_facts(traced, spec), launches)
    return found


def _traffic_facts(bytes_moved: float, launches: int, traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    moved_us = bytes_moved / spec.dram_gb_s / 1e3
    found = {"bytes_moved": bytes_moved, "moved_us": moved_us}
    if traced.bytes_min:
        found["traffic_ratio"] = bytes_moved / traced.bytes_min
    if launches:
        found |= {"launches": launches, "estimated_us_per_launch": moved_us / launches}
    return found


def kernel_facts(kernel: KernelReport, traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    """What the compiled code and its launch say of one kernel."""
    fit = kernel.occupancy
    found = wave_facts(kernel.blocks, spec.unit_count, fit.blocks_per_unit)
    found |= {f"limited_by_{limiter}": float(fit.limiter == limiter) for limiter in fit.limits}
    found |= {
        "occupancy_pct": 100 * fit.fraction,
        "occupancy_gap_pct": 100 * (1 - fit.fraction),
        "registers": kernel.registers,
        "registers_max": spec.max_registers_per_thread,
        "shared_bytes": kernel.shared_bytes,
        "shared_bytes_max": spec.shared_bytes_per_unit,
        "threads_per_block": kernel.num_warps * spec.warp_size,
    }
    return found | code_facts(
        kernel.instructions, kernel.spill_bytes, kernel.load_bits, _element_bits(traced)
    )


def code_facts(
    instructions: Mapping[str, int], spill_bytes: int, load_bits: Mapping[int, int], element_bits: int | None
) -> dict[str, float]:
    """What the compiled code alone says: the instructions that give a kernel away, spills, width of loads."""
    found: dict[str, float] = {
        "spill_bytes": spill_bytes,
        "mma_instructions": sum(instructions.get(name, 0) for name in _MMA),
        "bulk_copy_instructions": instructions.get("tma", 0),
        "fp64_instructions": instructions.get("fp64", 0),
        "atomic_instructions": instructions.get("atomic", 0),
        "shared_atomic_instructions": instructions.get("shared_atomic", 0),
    }
    if load_bits:
        found["widest_load_bits"] = max(load_bits)
        if element_bits is not None:
            narrow = sum(count for bits, count in load_bits.items() if bits <= element_bits)
            found["unvectorised_loads_pct"] = 100 * narrow / sum(load_bits.values())
    return found


def time_facts(time_us: float, work: dict[str, float], launches: int) -> dict[str, float]:
    """How a measured time compares with what the work takes at least (`work_facts`)."""
    found = {
        "time_us": time_us,
        "bandwidth_pct": 100 * work["memory_us"] / time_us,
        "compute_pct": 100 * work["compute_us"] / time_us,
        "roofline_pct": 100 * work["roofline_us"] / time_us,
        "untimed": 0.0,
    }
    if launches:
        found["time_us_per_launch"] = time_us / launches
        found["launch_share_pct"] = launch_share_pct(time_us / launches)
    return found


def compute_kind(traced: TracedOp) -> str:
    """The rate that bounds the operator's arithmetic: matrix units for products of 8 and 16 bits, else the
    fp32 or fp64 vector units, in which pointwise work is done whatever its storage type."""
    if all_in_eight_bits(traced) and len(units := eight_bit_units(traced)) == 1:
        return next(iter(units))
    widest = max((_BITS[dtype] for dtype in traced.dtypes if dtype in _BITS), default=32)
    if widest <= 16 and _is_matmul_like(traced):
        return "tensor_bf16" if "bfloat16" in traced.dtypes else "tensor_fp16"
    return "fp64" if widest == 64 else "fp32"


def _is_matmul_like(traced: TracedOp) -> bool:
    return bool(_MATMUL_KINDS & set(traced.op_kinds))


def _element_bits(traced: TracedOp) -> int | None:
    """Bits of the narrowest floating type that the operator takes or gives."""
    return min((_BITS[dtype] for dtype in traced.dtypes if dtype in _BITS), default=None)
