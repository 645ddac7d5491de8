"""Turns what is known of an operator and its kernels into named numbers, the vocabulary of rules.yaml.

A number that cannot be known is left out: the rules then answer "undecided". No value is ever made up.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..hardware_specs.spec import DeviceSpec
from .eager import eager_cost
from .profile import Profile
from .roofline import roofline
from .static import KernelReport
from .timing import Timing
from .trace import TracedOp

_MMA = ("mma", "wgmma", "tcgen05", "mfma", "wmma")
_MATMUL_KINDS = frozenset(("matmul", "conv", "attention", "rnn"))
_BITS = {"float64": 64, "float32": 32, "bfloat16": 16, "float16": 16}


def graph_facts(traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    """What the graph and the device's table say before any code exists."""
    roof = roofline(traced.flops, traced.bytes_min, spec, compute_kind(traced))
    found = {
        "flops": traced.flops,
        "bytes_min": traced.bytes_min,
        "intensity": roof.intensity,
        "ridge": roof.ridge,
        "memory_us": roof.memory_us,
        "compute_us": roof.compute_us,
        "roofline_us": roof.attainable_us,
        "dram_peak_gb_s": spec.dram_gb_s,
        "compute_peak_tflops": roof.peak_tflops,
        "matmul_like": float(_is_matmul_like(traced)),
    }
    if spec.unit_count is not None:
        found["unit_count"] = spec.unit_count
    if {"fp32", "fp64"} <= set(spec.peak_tflops):
        found["fp64_slowdown"] = spec.peak_tflops["fp32"] / spec.peak_tflops["fp64"]
    return found


def eager_facts(traced: TracedOp, spec: DeviceSpec) -> dict[str, float]:
    """What eager PyTorch would launch and move."""
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
        found |= _timing_facts(profile.timing, graph_facts(traced, spec), launches)
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
    found = dict(_launch_facts(kernel, spec))
    fit = kernel.occupancy
    found |= {f"limited_by_{limiter}": float(fit.limiter == limiter) for limiter in fit.limits}
    found |= {
        "occupancy_pct": 100 * fit.fraction,
        "occupancy_gap_pct": 100 * (1 - fit.fraction),
        "registers": kernel.registers,
        "registers_max": spec.max_registers_per_thread,
        "shared_bytes": kernel.shared_bytes,
        "shared_bytes_max": spec.shared_bytes_per_unit,
        "threads_per_block": kernel.num_warps * spec.warp_size,
        "spill_bytes": kernel.spill_bytes,
        "mma_instructions": sum(kernel.instructions.get(name, 0) for name in _MMA),
        "fp64_instructions": kernel.instructions.get("fp64", 0),
        "atomic_instructions": kernel.instructions.get("atomic", 0),
    }
    if kernel.load_bits:
        found["widest_load_bits"] = max(kernel.load_bits)
        element = _element_bits(traced)
        if element is not None:
            narrow = sum(count for bits, count in kernel.load_bits.items() if bits <= element)
            found["unvectorised_loads_pct"] = 100 * narrow / sum(kernel.load_bits.values())
    return found


def _launch_facts(kernel: KernelReport, spec: DeviceSpec) -> Iterator[tuple[str, float]]:
    blocks = kernel.blocks
    yield "grid_blocks", blocks
    if spec.unit_count is None:
        return
    yield "idle_units_pct", max(0.0, 100 * (1 - blocks / spec.unit_count))
    per_wave = spec.unit_count * kernel.occupancy.blocks_per_unit
    if kernel.waves is None or not per_wave:
        return
    whole = math.floor(kernel.waves)
    partial = round((kernel.waves - whole) * per_wave)
    yield from {
        "blocks_per_wave": per_wave,
        "waves": kernel.waves,
        "whole_waves": whole,
        "partial_blocks": partial,
        "tail_bound_pct": 100 / (whole + 1) if partial else 0.0,
    }.items()


def _timing_facts(timing: Timing, graph: dict[str, float], launches: int) -> dict[str, float]:
    time_us = timing.median_us
    found = {
        "time_us": time_us,
        "bandwidth_pct": 100 * graph["memory_us"] / time_us,
        "compute_pct": 100 * graph["compute_us"] / time_us,
        "roofline_pct": 100 * graph["roofline_us"] / time_us,
    }
    if launches:
        found["time_us_per_launch"] = time_us / launches
    return found


def compute_kind(traced: TracedOp) -> str:
    """The rate that bounds the operator's arithmetic: matrix units for products of 16-bit types, else the
    fp32 or fp64 vector units, in which pointwise work is done whatever its storage type."""
    widest = max((_BITS[dtype] for dtype in traced.dtypes if dtype in _BITS), default=32)
    if widest == 16 and _is_matmul_like(traced):
        return "tensor_bf16" if "bfloat16" in traced.dtypes else "tensor_fp16"
    return "fp64" if widest == 64 else "fp32"


def _is_matmul_like(traced: TracedOp) -> bool:
    return bool(_MATMUL_KINDS & set(traced.op_kinds))


def _element_bits(traced: TracedOp) -> int | None:
    """Bits of the narrowest floating type that the operator takes or gives."""
    return min((_BITS[dtype] for dtype in traced.dtypes if dtype in _BITS), default=None)
