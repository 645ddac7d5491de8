"""The sections of an NVIDIA sheet, and what they mean in vendor-neutral words."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .device import DeviceSpec
from .schema import Count, Positive, Section, Sheet


class NvidiaUnits(Section):
    sm_count: Count | None


class NvidiaClocks(Section):
    """`tensor_peak_assumed` is the clock behind the published tensor peaks where that is not the boost."""

    boost: Count | None
    tensor_peak_assumed: Count | None = None


class NvidiaMemory(Section):
    """`bandwidth_gb_s` is the label, `roofline_bandwidth_gb_s` what device attributes give where they differ;
    `clock_mhz` counts double data rate: bytes/s = clock x 2 x bus bits / 8."""

    type: str
    size_gb: Positive
    bandwidth_gb_s: Positive
    roofline_bandwidth_gb_s: Positive | None = None
    bus_bits: Count | None = None
    clock_mhz: Count | None = None


class NvidiaL2(Section):
    size_mib: Positive


class NvidiaLimits(Section):
    warp_size: Count
    max_threads_per_block: Count
    max_threads_per_sm: Count
    max_warps_per_sm: Count
    max_blocks_per_sm: Count
    registers_32bit_per_sm: Count
    max_registers_per_thread: Count
    register_granularity_per_warp: Count
    sub_partitions_per_sm: Count
    l1_shared_combined_kib_per_sm: Count
    max_shared_kib_per_sm: Count
    max_shared_kib_per_block_optin: Count
    default_shared_kib_per_block: Count
    reserved_shared_bytes_per_block: Annotated[int, Field(ge=0)]
    shared_granularity_bytes: Count
    shared_carveouts_kib: list[int]
    shared_banks: Count
    shared_bank_bytes: Count
    block_barriers_per_sm: Count
    tensor_memory_kib_per_sm: Count | None = None


class NvidiaRates(Section):
    """Dense rates by number format, FMA counted as two; `*_fp16acc` accumulates in fp16."""

    fp64: Positive | None = None
    fp64_tensor: Positive | None = None
    fp32: Positive | None = None
    fp16: Positive | None = None
    bf16: Positive | None = None
    tensor_tf32: Positive | None = None
    tensor_bf16: Positive | None = None
    tensor_fp16: Positive | None = None
    tensor_fp16_fp16acc: Positive | None = None
    tensor_fp8: Positive | None = None
    tensor_fp8_fp16acc: Positive | None = None
    tensor_fp6: Positive | None = None
    tensor_fp4: Positive | None = None
    tensor_int8: Positive | None = None
    tensor_int4: Positive | None = None


class NvidiaInterconnect(Section):
    nvlink_gb_s_bidirectional: Positive | None
    nvlink_c2c_gb_s_bidirectional: Positive | None = None
    pcie_generation: Count | None = None
    pcie_lanes: Count | None = None


class NvidiaSheet(Sheet):
    vendor: Literal["nvidia"]
    chip: str
    compute_capability: str = Field(pattern=r"^\d+\.\d$")
    compute_units: NvidiaUnits
    clocks_mhz: NvidiaClocks
    memory: NvidiaMemory
    l2: NvidiaL2
    limits: NvidiaLimits
    flop_per_clock_per_sm: NvidiaRates
    peak_dense_tflops: NvidiaRates
    sparsity_2to4_factor: Literal[1, 2]
    interconnect: NvidiaInterconnect


def neutral(sheet: NvidiaSheet) -> DeviceSpec:
    """One SM is the unit; a tensor-core rate keeps its `tensor_` name, the fp64 tensor rate takes one."""
    limits, memory, clocks = sheet.limits, sheet.memory, sheet.clocks_mhz
    measured = sheet.measured
    latency_clocks = measured.dram_latency_clocks if measured else None
    return DeviceSpec(
        id=sheet.id,
        name=sheet.name,
        vendor="nvidia",
        architecture=sheet.architecture,
        target=sheet.target,
        aliases=tuple(sheet.aliases),
        device_names=tuple(sheet.device_names),
        unit_count=sheet.compute_units.sm_count,
        warp_size=limits.warp_size,
        max_threads_per_block=limits.max_threads_per_block,
        max_warps_per_unit=limits.max_warps_per_sm,
        max_blocks_per_unit=limits.max_blocks_per_sm,
        barriers_per_unit=limits.block_barriers_per_sm,
        sub_partitions=limits.sub_partitions_per_sm,
        registers_per_unit=limits.registers_32bit_per_sm,
        max_registers_per_thread=limits.max_registers_per_thread,
        register_granularity=limits.register_granularity_per_warp // limits.warp_size,
        shared_bytes_per_unit=limits.max_shared_kib_per_sm * 1024,
        shared_bytes_per_block=limits.max_shared_kib_per_block_optin * 1024,
        shared_reserved_bytes=limits.reserved_shared_bytes_per_block,
        shared_granularity_bytes=limits.shared_granularity_bytes,
        l2_bytes=int(sheet.l2.size_mib * 2**20),
        l2_partitions=1,
        memory_gb=memory.size_gb,
        dram_gb_s=memory.roofline_bandwidth_gb_s or memory.bandwidth_gb_s,
        dram_copy_gb_s=measured.copy_gb_s if measured else None,
        dram_latency_ns=latency_clocks * 1e3 / clocks.boost if latency_clocks and clocks.boost else None,
        clock_mhz=clocks.boost,
        peak_tflops=_peaks(sheet.peak_dense_tflops),
        features=frozenset(sheet.features.own),
        sheet=sheet,
    )


def _peaks(rates: NvidiaRates) -> dict[str, float]:
    numbers = rates.model_dump(exclude={"sources", "note", "confidence"}, exclude_none=True)
    return {"tensor_fp64" if key == "fp64_tensor" else key: value for key, value in numbers.items()}
