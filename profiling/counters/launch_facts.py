"""Names what a launch asked of the device: time, the grid in waves, the registers and memory of a block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from ...hardware_specs.spec import DeviceSpec
from ..occupancy import Limiter, occupancy
from ..waves import launch_share_pct, wave_facts
from .record import Launch

Found = Iterator[tuple[str, float]]

_LIMITS: dict[Limiter, str] = {
    "blocks": "limit_blocks",
    "registers": "limit_regs",
    "shared": "limit_smem",
    "warps": "limit_warps",
    "barriers": "limit_barriers",
}


def launch_facts(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """Time, grid, and what the block takes."""
    if (duration := launch.value("duration")) is not None and duration > 0:
        yield "duration_us", duration / 1e3
        yield "launch_share_pct", launch_share_pct(duration / 1e3)
    for key, name in (("regs", "registers"), ("smem_block", "shared_bytes"), ("scratch", "scratch_bytes")):
        if (value := launch.value(key)) is not None:
            yield name, value
    if (threads := _threads_of(launch)) is not None:
        yield "threads_per_block", threads
    if (units := launch.value("units") or (spec.unit_count if spec else None)) is not None:
        yield "unit_count", units
    if spec is not None:
        yield "registers_max", spec.max_registers_per_thread
        yield "shared_bytes_max", spec.shared_bytes_per_unit
        yield "dram_peak_gb_s", spec.dram_gb_s
        if {"fp32", "fp64"} <= set(spec.peak_tflops):
            yield "fp64_slowdown", spec.peak_tflops["fp32"] / spec.peak_tflops["fp64"]


def occupancy_facts(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """The tool's own limits, else those of the calculator; resources that tie limit together."""
    limits: dict[Limiter, float] = {
        name: value for name, key in _LIMITS.items() if (value := launch.value(key)) is not None
    }
    registers, shared, threads = launch.value("regs"), launch.value("smem_block"), _threads_of(launch)
    told = {"registers", "shared", "warps"} <= limits.keys()
    if not told and spec and threads and registers is not None and shared is not None:
        asked = max(0, round(shared) - spec.shared_reserved_bytes)  # the tools count what the system takes
        held = occupancy(spec, threads, round(registers), asked)
        limits = dict(held.limits)
        told = True
        if "occupancy_theoretical" not in found:
            yield "occupancy_theoretical", 100 * held.fraction
    blocks_per_unit = min(limits.values()) if told else None  # a limit that nobody knows may be the least
    if (blocks := _blocks_of(launch)) is not None:
        units = launch.value("units") or (spec.unit_count if spec else None)
        yield from wave_facts(blocks, units, blocks_per_unit, launch.value("waves")).items()
    if blocks_per_unit is None:
        return
    blameless = set[Limiter]()
    if shared is not None and spec is not None and shared <= spec.shared_reserved_bytes:
        blameless.add("shared")
    if limits.get("barriers") == limits.get("blocks"):
        blameless.add("barriers")  # with one barrier a block, or none, the tools print the block slots
    for name in _LIMITS:
        least = limits.get(name) == blocks_per_unit
        yield f"limited_by_{name}", float(least and name not in blameless)
    theoretical = launch.value("occupancy_theoretical")
    if theoretical is None and spec and threads:
        warps = -(-threads // spec.warp_size)
        theoretical = min(100.0, 100 * blocks_per_unit * warps / spec.max_warps_per_unit)
    if theoretical is not None:
        yield "occupancy_pct", theoretical
        yield "occupancy_gap_pct", 100 - theoretical


def _threads_of(launch: Launch) -> int | None:
    """Threads of one block."""
    block = launch.value("block")
    return prod(launch.block_threads) if launch.block_threads else None if block is None else round(block)


def _blocks_of(launch: Launch) -> int | None:
    """Blocks of the grid."""
    grid = launch.value("grid")
    return prod(launch.grid_blocks) if launch.grid_blocks else None if grid is None else round(grid)
