"""How many blocks of a kernel fit on one SM or CU, and which resource says no to the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..hardware_specs.spec import DeviceSpec

Limiter = Literal["warps", "registers", "shared", "blocks", "barriers"]


@dataclass(frozen=True)
class Occupancy:
    """`fraction` = active warps / warp slots; `limits` = blocks per unit by each resource alone."""

    blocks_per_unit: int
    active_warps: int
    fraction: float
    limiter: Limiter
    limits: Mapping[Limiter, int]

    @property
    def fits(self) -> bool:
        return self.blocks_per_unit > 0


def occupancy(
    spec: DeviceSpec,
    threads_per_block: int,
    registers_per_thread: int,
    shared_bytes: int,
    barriers_per_block: int = 1,
) -> Occupancy:
    """Theoretical occupancy; an SM and a CU follow the same arithmetic with their own granularities.

        warps      = ceil(threads / warp size)
        registers  : a sub-partition (SIMD) holds floor(its registers / (warp size x registers rounded up to
                     the granularity)) warps; x sub-partitions, / warps, floor
        shared     : floor(shared per unit / ((asked + reserved) rounded up to the granularity))
        warp slots : floor(slots / warps);  block slots: as the spec says
        barriers   : floor(barriers per unit / barriers of the block), more than one if warps specialise

    NVIDIA: granularity 8 registers a thread (256 a warp), 1 KiB reserved from CC 8.0 on, shared in 128 B
    (256 B on CC 7.x). CDNA: 512 vector and accumulation registers a lane in steps of 8, 8 waves a SIMD.
    Scalar registers are left out: they cost CDNA one wave in eight when a kernel takes more than 100.
    Checked on Nsight Compute's own figures for a GB200 kernel and on LLVM's "; Occupancy:" for AMD.
    """
    warps = -(-threads_per_block // spec.warp_size)
    limits: dict[Limiter, int] = {
        "warps": spec.max_warps_per_unit // warps,
        "registers": _warps_by_registers(spec, registers_per_thread) // warps,
        "blocks": spec.max_blocks_per_unit,
        "shared": _blocks_by_shared(spec, shared_bytes),
    }
    if spec.barriers_per_unit is not None:
        limits["barriers"] = spec.barriers_per_unit // max(barriers_per_block, 1)
    limiter = min(
        limits, key=limits.__getitem__
    )  # of several, the first: shared memory is not blamed if unused
    blocks = limits[limiter]
    active = blocks * warps
    return Occupancy(blocks, active, active / spec.max_warps_per_unit, limiter, limits)


def _warps_by_registers(spec: DeviceSpec, registers_per_thread: int) -> int:
    if registers_per_thread > spec.max_registers_per_thread:
        return 0
    rounded = _round_up(max(registers_per_thread, 1), spec.register_granularity)
    return spec.registers_per_unit // spec.sub_partitions // (spec.warp_size * rounded) * spec.sub_partitions


def _blocks_by_shared(spec: DeviceSpec, shared_bytes: int) -> int:
    if shared_bytes > spec.shared_bytes_per_block:
        return 0
    taken = _round_up(shared_bytes + spec.shared_reserved_bytes, spec.shared_granularity_bytes)
    return spec.shared_bytes_per_unit // taken if taken else spec.max_blocks_per_unit


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
