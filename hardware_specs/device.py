"""One GPU in vendor-neutral words: what a kernel writer, an occupancy formula and a roofline need of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .schema import Sheet

Vendor = Literal["nvidia", "amd"]


@dataclass(frozen=True)
class DeviceSpec:
    """One device as CUDA or HIP counts them; `None` stands for a figure that nobody is known to have read.

    A unit is an SM or a CU, a warp also a wave, a block also a work-group, a sub-partition also a SIMD.
    Registers are 32 bit wide (vector registers on AMD).
    """

    id: str
    name: str
    vendor: Vendor
    architecture: str
    target: str  # what compilers are told: "sm_90a", "gfx942"
    aliases: tuple[str, ...]
    device_names: tuple[str, ...]  # as NVML, HIP and torch print them
    unit_count: int | None
    warp_size: int
    max_threads_per_block: int
    max_warps_per_unit: int
    max_blocks_per_unit: int
    barriers_per_unit: int | None  # None: never a limit of its own
    sub_partitions: int
    registers_per_unit: int
    max_registers_per_thread: int
    register_granularity: int  # registers per thread are rounded up to a multiple of this
    shared_bytes_per_unit: int
    shared_bytes_per_block: int  # the most one block may ask for, opt-in included
    shared_reserved_bytes: int  # taken by the system from each block's allocation
    shared_granularity_bytes: int
    l2_bytes: int
    l2_partitions: int  # dies with an L2 of their own; `l2_bytes` is their sum
    memory_gb: float
    dram_gb_s: float  # peak for a roofline: what device attributes give, where that is less than the label
    dram_copy_gb_s: float | None  # what a large copy was measured to reach, read and write together
    dram_latency_ns: float | None  # idle, measured
    clock_mhz: int | None
    peak_tflops: Mapping[
        str, float
    ]  # dense; keys fp32, fp16, tensor_tf32, tensor_bf16, tensor_int8 (TOPS), ...
    features: frozenset[str]  # keys of features.yaml by the target, and the device's own (mig)
    sheet: Sheet = field(repr=False, compare=False)  # the vendor's own words, with the source of every number

    @property
    def arch(self) -> str:
        """The target without the suffix for arch-specific features: "sm_90", "gfx942"."""
        return self.target.removesuffix("a") if self.vendor == "nvidia" else self.target

    @property
    def triton_target(self) -> tuple[str, int | str, int]:
        """The arguments of triton's `GPUTarget`: ("cuda", 90, 32) or ("hip", "gfx942", 64)."""
        if self.vendor == "nvidia":
            return ("cuda", int(self.arch.removeprefix("sm_")), self.warp_size)
        return ("hip", self.target, self.warp_size)

    @property
    def unit_name(self) -> str:
        return "SM" if self.vendor == "nvidia" else "CU"
