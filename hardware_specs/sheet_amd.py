"""The sections of an AMD sheet, and what they mean in vendor-neutral words."""

from __future__ import annotations

from typing import Literal

from .device import DeviceSpec
from .schema import Count, Positive, Section, Sheet


class AmdUnits(Section):
    """`gcd_count` dies that HIP shows as separate devices where it is above one."""

    cu_count: Count
    simd_per_cu: Count
    xcd_count: Count | None = None
    cu_per_xcd: Count | None = None
    gcd_count: Count | None = None
    cu_per_gcd: Count | None = None
    wgp_count: Count | None = None
    mcd_count: Count | None = None


class AmdClocks(Section):
    peak_engine: Count


class AmdMemory(Section):
    type: str
    size_gb: Positive
    bandwidth_gb_s: Positive
    bus_bits: Count
    rate_gbit_s_per_pin: Positive


class AmdCaches(Section):
    l1_vector_kib_per_cu: Count
    l2_mib: Positive
    l3_infinity_cache_mib: Positive | None


class AmdLimits(Section):
    wave_size: Literal[32, 64]
    max_threads_per_workgroup: Count
    max_waves_per_cu: Count
    max_waves_per_simd: Count
    lds_kib_per_cu: Count
    lds_banks: Count
    max_lds_kib_per_workgroup: Count
    lds_granularity_bytes: Count
    vgpr_file_kib_per_cu: Count
    vgprs_per_simd_lane: Count
    max_vgprs_per_wave: Count
    vgpr_granularity: Count
    l2_channels: Count | None = None


class AmdRates(Section):
    """Dense rates by number format, FMA counted as two; `*_matrix` are MFMA, `wmma_*` RDNA's WMMA."""

    fp64: Positive | None = None
    fp64_matrix: Positive | None = None
    fp32: Positive | None = None
    fp32_packed: Positive | None = None
    fp32_matrix: Positive | None = None
    fp16: Positive | None = None
    tf32_matrix: Positive | None = None
    fp16_matrix: Positive | None = None
    bf16_matrix: Positive | None = None
    fp8_matrix: Positive | None = None
    fp6_matrix: Positive | None = None
    fp4_matrix: Positive | None = None
    int8_matrix: Positive | None = None
    wmma_fp16: Positive | None = None
    wmma_bf16: Positive | None = None
    wmma_int8: Positive | None = None
    wmma_int4: Positive | None = None


class AmdInterconnect(Section):
    infinity_fabric_gb_s_bidirectional: Positive | None
    infinity_fabric_links: Count | None = None
    gcd_to_gcd_gb_s_bidirectional: Positive | None = None
    pcie_generation: Count | None = None
    pcie_lanes: Count | None = None


class AmdSheet(Sheet):
    vendor: Literal["amd"]
    compute_units: AmdUnits
    clocks_mhz: AmdClocks
    memory: AmdMemory
    caches: AmdCaches
    limits: AmdLimits
    flop_per_clock_per_cu: AmdRates
    peak_dense_tflops: AmdRates
    interconnect: AmdInterconnect


def neutral(sheet: AmdSheet) -> DeviceSpec:
    """One CU is the unit, one wave the warp, a work-group the block.

    A package of several dies that HIP shows as several devices is given as ONE of them. Work-groups on a CU
    are bounded by wave slots: the 16 barriers of a CU are never the tighter limit (getMaxWorkGroupsPerCU in
    LLVM).
    """
    units, limits, memory, measured = sheet.compute_units, sheet.limits, sheet.memory, sheet.measured
    devices = units.gcd_count or 1
    lanes_per_cu = units.simd_per_cu * limits.wave_size
    latency_clocks = measured.dram_latency_clocks if measured else None
    copy_gb_s = measured.copy_gb_s if measured else None
    return DeviceSpec(
        id=sheet.id,
        name=sheet.name,
        vendor="amd",
        architecture=sheet.architecture,
        target=sheet.target,
        aliases=tuple(sheet.aliases),
        device_names=tuple(sheet.device_names),
        unit_count=units.cu_count // devices,
        warp_size=limits.wave_size,
        max_threads_per_block=limits.max_threads_per_workgroup,
        max_warps_per_unit=limits.max_waves_per_cu,
        max_blocks_per_unit=limits.max_waves_per_cu,
        barriers_per_unit=None,
        sub_partitions=units.simd_per_cu,
        registers_per_unit=limits.vgprs_per_simd_lane * lanes_per_cu,
        max_registers_per_thread=limits.max_vgprs_per_wave,
        register_granularity=limits.vgpr_granularity,
        shared_bytes_per_unit=limits.lds_kib_per_cu * 1024,
        shared_bytes_per_block=limits.max_lds_kib_per_workgroup * 1024,
        shared_reserved_bytes=0,
        shared_granularity_bytes=limits.lds_granularity_bytes,
        l2_bytes=int(sheet.caches.l2_mib * 2**20) // devices,
        l2_partitions=units.xcd_count or 1,
        memory_gb=memory.size_gb / devices,
        dram_gb_s=memory.bandwidth_gb_s / devices,
        dram_copy_gb_s=copy_gb_s / devices if copy_gb_s else None,
        dram_latency_ns=latency_clocks * 1e3 / sheet.clocks_mhz.peak_engine if latency_clocks else None,
        clock_mhz=sheet.clocks_mhz.peak_engine,
        peak_tflops={key: value / devices for key, value in _peaks(sheet.peak_dense_tflops).items()},
        features=frozenset(sheet.features.own),
        sheet=sheet,
    )


def _peaks(rates: AmdRates) -> dict[str, float]:
    """`fp16_matrix` and `wmma_fp16` both become `tensor_fp16`; vector rates keep their names."""
    numbers = rates.model_dump(exclude={"sources", "note", "confidence"}, exclude_none=True)
    return {_tensor_key(key): value for key, value in numbers.items()}


def _tensor_key(key: str) -> str:
    number = key.removesuffix("_matrix").removeprefix("wmma_")
    return key if number == key else f"tensor_{number}"
