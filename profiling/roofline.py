"""Bounds and estimates of a kernel's time on a card that may not be here: arithmetic, never a measurement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..hardware_specs.spec import DeviceSpec
from .product_time import ProductWork, product_us
from .static import KernelReport

LAUNCH_US = 3.0
"""A launch with nothing in it: about 3 us, "the new speed of light" in NVIDIA's forum thread 233645."""

ASSUMED_LATENCY_NS = 420.0
"""Idle DRAM latency where a sheet has no reading: what H100 (421 ns) and MI300X (429 ns) agree on."""

ASSUMED_COPY_FRACTION = {"nvidia": 0.87, "amd": 0.78}
"""Share of peak DRAM bandwidth that a large copy reaches where a sheet has no reading: H100 and MI300X."""

_INSTRUCTIONS_PER_ACCESS = 8  # address, predicate, access and the arithmetic on it, for an elementwise kernel
_LANES_PER_CLOCK = {"nvidia": 128, "amd": 64}  # per unit: 4 x 32 lanes on an SM, 4 x 16 on a CU
_OVERLAP = (
    3.0  # exponent of the norm that joins memory, compute and issue: 1 = one after another, inf = perfect
)
_STAGING = 1.12
"""What asynchronous copies cost where enough is in flight without them: the way through shared memory, and a
barrier a step. Measured on an H200 (GroupNorm rows of 163840 fp16, 8 and 16 warps a row): 1.05 to 1.16."""

_FALLBACKS = {
    "bf16": ("fp32",),
    "fp16": ("fp32",),
    "tensor_tf32": ("tensor_fp32", "fp32"),
    "tensor_bf16": ("tensor_fp16", "fp32"),
    "tensor_fp16": ("fp16", "fp32"),
    "tensor_fp8": ("tensor_bf16", "tensor_fp16", "fp32"),
    "tensor_int8": ("fp32",),
    "tensor_fp64": ("fp64",),
}


@dataclass(frozen=True)
class Roofline:
    """Where a piece of work lies under the roof of a card; times in us, intensity in FLOP per byte."""

    memory_us: float
    compute_us: float
    peak_tflops: float
    peak_kind: str  # the rate used: the one asked for, or what the card has instead
    intensity: float
    ridge: float

    @property
    def attainable_us(self) -> float:
        return max(self.memory_us, self.compute_us)

    @property
    def bound(self) -> Literal["memory", "compute"]:
        return "memory" if self.memory_us >= self.compute_us else "compute"


@dataclass(frozen=True)
class Estimate:
    """A guess at a candidate's time for ranking schedules against each other; it has seen no card."""

    memory_us: float
    compute_us: float
    issue_us: float
    launch_us: float
    total_us: float

    def __str__(self) -> str:
        return f"~{self.total_us:.1f} us (estimate, not measured)"


def roofline(flops: float, bytes_moved: float, spec: DeviceSpec, kind: str = "fp32") -> Roofline:
    """The classic roofline at peak DRAM bandwidth and the dense peak of `kind` (fp32, tensor_bf16, ...)."""
    peak_kind = _rate(spec, kind)
    peak = spec.peak_tflops[peak_kind]
    return Roofline(
        memory_us=bytes_moved / spec.dram_gb_s * 1e-3,
        compute_us=flops / peak * 1e-6,
        peak_tflops=peak,
        peak_kind=peak_kind,
        intensity=flops / bytes_moved if bytes_moved else math.inf,
        ridge=peak * 1e3 / spec.dram_gb_s,
    )


def attainable_us(flops: float, bytes_moved: float, spec: DeviceSpec, kind: str = "fp32") -> float:
    """No kernel that moves `bytes_moved` through DRAM and computes `flops` is faster than this."""
    return roofline(flops, bytes_moved, spec, kind).attainable_us


def estimate_us(
    bytes_moved: float | Sequence[float],
    flops: float,
    kernels: Sequence[KernelReport],
    spec: DeviceSpec,
    kind: str = "fp32",
    products: Sequence[ProductWork | None] = (),
) -> Estimate:
    """An ESTIMATE, for ranking: DRAM traffic, shortage of bytes in flight, tail, narrow accesses, launches.

    `bytes_moved` per kernel, or in all (then split evenly). A wave of blocks has as many bytes in flight as
    its threads load before they wait (registers, or shared memory under asynchronous copies); by Little's
    law it needs bandwidth x latency of them, and with x times the need it reaches 1 - exp(-x) of what a
    large copy reaches. The last, partial wave has fewer in flight and is slower for it. Each access costs a
    fixed number of instructions, so that narrow ones weigh on issue slots. Memory, compute and issue overlap
    imperfectly; launches add up. Torch calls between the kernels are not seen. Where `products` says how a
    kernel's tiles of matrix products run, they are its compute time; all other arithmetic goes with the
    bytes, so that what joins a few parts at the end is not taken to compute half of everything.
    """
    launches = sum(kernel.launches for kernel in kernels)
    shares = (
        list(bytes_moved)
        if isinstance(bytes_moved, Sequence)
        else [bytes_moved / max(len(kernels), 1)] * len(kernels)
    )
    works = products if len(products) == len(kernels) else [None] * len(kernels)
    multiplied = sum(
        w.step_flops * w.steps * (w.walked or k.blocks) for w, k in zip(works, kernels, strict=True) if w
    )
    others = sum(share for share, work in zip(shares, works, strict=True) if work is None)
    per_byte = max(0.0, flops - multiplied) / others if others else 0.0
    parts = [
        _kernel_us(share, share * per_byte, kernel, spec, kind, work)
        for share, kernel, work in zip(shares, kernels, works, strict=True)
    ]
    memory, compute, issue = (sum(part[index] for part in parts) for index in range(3))
    busy = sum(sum(time**_OVERLAP for time in part) ** (1 / _OVERLAP) for part in parts)
    return Estimate(memory, compute, issue, launches * LAUNCH_US, busy + launches * LAUNCH_US)


def copy_gb_s(spec: DeviceSpec) -> float:
    """DRAM bandwidth of a large copy."""
    return spec.dram_copy_gb_s or spec.dram_gb_s * ASSUMED_COPY_FRACTION[spec.vendor]


def _kernel_us(
    bytes_moved: float,
    flops: float,
    kernel: KernelReport,
    spec: DeviceSpec,
    kind: str,
    work: ProductWork | None,
) -> tuple[float, float, float]:
    """Memory, compute and issue time of one kernel by itself."""
    imbalance = _imbalance(kernel, spec)
    if work is not None:
        compute = product_us(work, kernel.blocks, kernel.occupancy.blocks_per_unit, spec)
        return bytes_moved / spec.dram_gb_s * 1e-3, compute, 0.0
    compute = flops / spec.peak_tflops[_rate(spec, kind)] * 1e-6 * imbalance
    return _memory_us(bytes_moved, kernel, spec), compute, _issue_us(bytes_moved, kernel, spec) * imbalance


def _memory_us(bytes_moved: float, kernel: KernelReport, spec: DeviceSpec) -> float:
    gb_s = copy_gb_s(spec)
    if not kernel.waves or not bytes_moved:
        return bytes_moved / gb_s * 1e-3
    wave_bytes, wave_blocks = bytes_moved / kernel.waves, kernel.blocks / kernel.waves
    in_flight = wave_blocks * min(_bytes_in_flight_per_block(kernel, spec), bytes_moved / kernel.blocks)
    needed = gb_s * (spec.dram_latency_ns or ASSUMED_LATENCY_NS)
    whole, partial = divmod(kernel.waves, 1.0)
    total = 0.0
    for waves, part in ((whole, 1.0), (1.0, partial)):
        if waves and part:
            reached = -math.expm1(-part * in_flight / needed)
            total += waves * part * wave_bytes / (gb_s * reached) * 1e-3
    return total * (_STAGING if _is_staged(kernel) else 1.0)


def _bytes_in_flight_per_block(kernel: KernelReport, spec: DeviceSpec) -> float:
    """What a block has under way at once: its threads' independent loads, at most half of their registers."""
    threads = kernel.num_warps * spec.warp_size
    loaded = sum(bits // 8 * count for bits, count in kernel.load_bits.items())
    in_registers = threads * min(max(loaded, 1), kernel.registers * 2)
    return max(in_registers, kernel.shared_bytes) if _is_staged(kernel) else in_registers


def _is_staged(kernel: KernelReport) -> bool:
    """Whether loads go through shared memory by asynchronous copies."""
    return bool(kernel.instructions.keys() & {"async_copy", "tma"})


def _issue_us(bytes_moved: float, kernel: KernelReport, spec: DeviceSpec) -> float:
    widths = kernel.load_bits.keys() | kernel.store_bits.keys()
    if spec.unit_count is None or spec.clock_mhz is None or not widths:
        return 0.0
    accesses = bytes_moved / _mean_access_bytes(kernel)
    lanes_per_us = spec.unit_count * _LANES_PER_CLOCK[spec.vendor] * spec.clock_mhz
    return accesses * _INSTRUCTIONS_PER_ACCESS / lanes_per_us


def _mean_access_bytes(kernel: KernelReport) -> float:
    pairs = [*kernel.load_bits.items(), *kernel.store_bits.items()]
    return sum(bits / 8 * count for bits, count in pairs) / sum(count for _, count in pairs)


def _imbalance(kernel: KernelReport, spec: DeviceSpec) -> float:
    """Work of the busiest unit over that of the average unit."""
    if spec.unit_count is None or not kernel.blocks:
        return 1.0
    mean = kernel.blocks / spec.unit_count
    return math.ceil(mean) / mean


def _rate(spec: DeviceSpec, kind: str) -> str:
    """`kind` if the card has that rate, else the nearest that can stand for it; KeyError if there is none."""
    for candidate in (kind, *_FALLBACKS.get(kind, ())):
        if candidate in spec.peak_tflops:
            return candidate
    raise KeyError(f"{spec.id} has no rate for {kind!r}; it has {', '.join(sorted(spec.peak_tflops))}")
