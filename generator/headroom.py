"""Bounds what a technique can still give on a kernel, by the part of the time that it addresses.

A technique addresses classes of bottleneck (its card says which), a class is a part of the estimated time.
So a kernel that moves its bytes at the peak of the DRAM leaves nothing to what hides latency. Bounds are by
peaks, which nothing exceeds, and not by what copies reach: a technique may do better than the estimate knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..hardware_specs.spec import DeviceSpec
from ..profiling.roofline import LAUNCH_US
from ..profiling.static import KernelReport
from .evaluated import Evaluated

MEMORY_TRAFFIC = frozenset({"dram_bandwidth", "l2_bandwidth", "uncoalesced", "spills"})
MEMORY_REACH = frozenset(
    {"memory_latency", "tma_underfed", "occupancy_regs", "occupancy_smem", "occupancy_warps",
     "occupancy_blocks", "barrier", "dependency", "small_grid"}
)  # fmt: skip
ISSUE = frozenset({"lg_throttle", "instruction_issue", "alu_pipe", "branch_divergence", "mio_throttle"})
WAVES = frozenset({"tail_effect", "small_grid", "imbalance"})
ARITHMETIC = frozenset(
    {"tensor_pipe", "tensor_unused", "fp32_pipe", "fp64_pipe", "fma_pipe", "l2_bandwidth", "memory_latency",
     "tail_effect", "small_grid", "dram_bandwidth", "occupancy_regs"}
)  # fmt: skip
"""Of a kernel of matrix products, whose modelled time holds the ways of its factors and its waves."""

LAUNCHES = frozenset({"launch_overhead"})


@dataclass(frozen=True)
class Headroom:
    """`levers` are the classes that a technique addresses, by its transform; `bytes_min` the least traffic
    of the operator. A technique without a card, or for classes that are no part of the estimate, has no
    bound."""

    levers: Mapping[str, Sequence[str]]
    bytes_min: float
    spec: DeviceSpec

    def of(self, found: Evaluated) -> Mapping[str, float]:
        if found.estimate is None:
            return {}
        bounds = {name: self._bound(frozenset(classes), found) for name, classes in self.levers.items()}
        return {name: bound for name, bound in bounds.items() if bound is not None}

    def _bound(self, classes: frozenset[str], found: Evaluated) -> float | None:
        estimate, kernels = found.estimate, found.static.kernels
        known = MEMORY_TRAFFIC | MEMORY_REACH | ISSUE | WAVES | ARITHMETIC | LAUNCHES
        if estimate is None or not classes & known:
            return None
        products = any(found.candidate.products)
        moved = sum(found.candidate.bytes_per_kernel or (self.bytes_min,))
        planned, least = (b / self.spec.dram_gb_s * 1e-3 for b in (moved, min(moved, self.bytes_min)))
        memory, compute, issue = estimate.memory_us, estimate.compute_us, estimate.issue_us
        if classes & MEMORY_REACH:
            memory = min(memory, planned)
        if classes & MEMORY_TRAFFIC and planned:
            memory, issue = memory * least / planned, issue * least / planned
        if classes & ISSUE:
            issue = 0.0
        if classes & WAVES:
            memory, compute = memory / tail(kernels), compute / tail(kernels)
        if products and classes & ARITHMETIC:
            compute = 0.0
        launches = LAUNCH_US if classes & LAUNCHES else estimate.launch_us
        before = max(estimate.memory_us, estimate.compute_us, estimate.issue_us) + estimate.launch_us
        after = max(memory, compute, issue) + min(launches, estimate.launch_us)
        return max(1.0, max(before, estimate.total_us) / after) if after else None


def tail(kernels: Sequence[KernelReport]) -> float:
    """Waves as they are launched over waves as they would be with the last one full."""
    partial = [math.ceil(k.waves) / k.waves for k in kernels if k.waves]
    return max(partial, default=1.0)
