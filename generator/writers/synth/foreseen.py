"""Foresees what kernels will take of a device before a compiler ran: blocks, registers, accesses.

It follows from the schedule alone and is there to weed out, not to report: what a compiler finds counts.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ....hardware_specs.spec import DeviceSpec
from ....profiling.occupancy import occupancy
from ....profiling.static import KernelReport
from .convolution_tiles import ConvolutionTiles
from .loops import Loops
from .schedule import Schedule
from .skeletons.packing import STRETCH, TILE
from .skeletons.parts import CUT_BLOCK, cut_factors
from .skeletons.split_product import joined_tile
from .tile_ends import launched
from .tiles import ADDRESS_REGISTERS, Tiles
from .tilings import tiles_of
from .traffic import planned_bytes
from .transforms.site import VECTOR_BYTES, Site

HELD_REGISTERS = 24
"""What a thread holds besides its elements: addresses, masks, the loop."""


def foreseen(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> tuple[KernelReport, ...]:
    """The kernels of one region in launch order."""
    if schedule.layout == "convolution":
        return (*_of_packing(loops, schedule, spec), _of_products(loops, schedule, spec))
    if loops.tiling is not None:
        cut = (_of_cut(loops, schedule, spec),) if schedule.stretch else ()
        join = (_of_join(loops, schedule, spec),) if schedule.splits > 1 else ()
        cut = (*((_of_marks(loops, schedule, spec),) if schedule.marks else ()), *cut)
        return (*cut, _of_products(loops, schedule, spec), *join)
    kernels = len(planned_bytes(loops, schedule, spec))
    return (_of_elements(loops, schedule, spec),) * kernels


def _of_cut(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> KernelReport:
    """The kernel that cuts fp32 factors into parts of bf16."""
    blocks = sum(math.ceil(cut.elements.full / CUT_BLOCK) for cut in (cut_factors(loops) or {}).values())
    return _report(schedule, spec, blocks, HELD_REGISTERS + 8, 0, {128: 2}, {128: 3})


def _of_packing(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> tuple[KernelReport, KernelReport]:
    """The kernels that pack the tensor and the weight of a convolution."""
    tiles, threads = ConvolutionTiles(loops, spec), schedule.num_warps * spec.warp_size
    sizes = (moved / tiles.item(schedule) for moved in tiles.packed_bytes(schedule))
    image, weight = (
        _report(
            schedule,
            spec,
            math.ceil(elements / tile),
            HELD_REGISTERS + 2 * tile // threads,
            0,
            {32: 8},
            {128: 3},
        )
        for elements, tile in zip(sizes, (TILE, STRETCH), strict=True)
    )
    return image, weight


def _of_marks(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> KernelReport:
    """The kernel that looks for tiles of zeros."""
    _, rows, cols, depth = Tiles(loops, spec).shape
    blocks = math.ceil(rows / schedule.rows) + math.ceil(cols / schedule.block)
    held = max(schedule.rows, schedule.block) * schedule.depth // (schedule.num_warps * spec.warp_size)
    blocks *= math.ceil(depth / schedule.depth)
    return _report(schedule, spec, blocks, HELD_REGISTERS + held, 0, {128: 4}, {8: 1})


def _of_join(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> KernelReport:
    """The kernel that joins the parts of split sums."""
    high, wide = joined_tile(schedule)
    held = high * wide * schedule.splits // (schedule.num_warps * spec.warp_size)
    blocks = Tiles(loops, spec).join_programs(schedule)
    return _report(schedule, spec, blocks, HELD_REGISTERS + held, 0, {128: 2}, {128: 1})


def _of_products(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> KernelReport:
    tiles = tiles_of(loops, schedule, spec)
    sums = tiles.sums(replace(schedule, stretch=0))
    registers = min(int(sums) + ADDRESS_REGISTERS, Site(loops, spec).registers_per_thread(schedule.num_warps))
    shared = tiles.shared_bytes(schedule)
    programs = launched(tiles, schedule) if isinstance(tiles, Tiles) else tiles.programs(schedule)
    return _report(schedule, spec, programs, registers, shared, {128: 2}, {128: 1})


def _of_elements(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> KernelReport:
    site, threads = Site(loops, spec), schedule.num_warps * spec.warp_size
    each = math.ceil(_elements(site, schedule) / threads)
    streams, item = max(1, len(site.streams)), site.element_bytes
    staged = schedule.num_stages > 1 and "cp_async" in spec.features
    width = min(VECTOR_BYTES, each * item) if _contiguous(site, schedule) else item
    loads = streams * max(1, each * item // width)
    live = site.live_values if not staged else 1
    registers = min(HELD_REGISTERS + each * live, site.registers_per_thread(schedule.num_warps))
    shared = (schedule.num_stages - 1) * each * threads * item * streams if staged else 0
    blocks = site.programs(schedule) * schedule.splits
    blocks = min(blocks, schedule.persistent) if schedule.persistent else blocks
    return _report(schedule, spec, blocks, registers, shared, {8 * width: loads}, {8 * width: 1})


def _elements(site: Site, schedule: Schedule) -> int:
    """Elements of a program's tile."""
    if schedule.layout == "columns":
        return schedule.block * (site.padded_columns if schedule.one_tile else schedule.depth)
    if schedule.layout == "rows":
        return schedule.rows * (site.padded_columns if schedule.one_tile else schedule.block)
    return schedule.block


def _contiguous(site: Site, schedule: Schedule) -> bool:
    """Whether a thread's elements lie side by side from a multiple of the widest access on."""
    return schedule.layout == "flat" or (
        schedule.layout == "rows" and (site.columns % site.vector == 0 or bool(schedule.peel))
    )


def _report(
    schedule: Schedule, spec: DeviceSpec, blocks: int, registers: int, shared: int,
    loads: dict[int, int], stores: dict[int, int],
) -> KernelReport:  # fmt: skip
    held = occupancy(spec, schedule.num_warps * spec.warp_size, registers, shared)
    waves = blocks / (spec.unit_count * held.blocks_per_unit) if spec.unit_count and held.fits else None
    copies = {"async_copy": 1} if schedule.num_stages > 1 and "cp_async" in spec.features else {}
    return KernelReport(
        name="foreseen", arch=spec.arch, grid=(max(1, blocks), 1, 1), num_warps=schedule.num_warps,
        num_stages=schedule.num_stages, registers=registers, spill_bytes=0, shared_bytes=shared,
        load_bits=loads, store_bits=stores, instructions=copies, occupancy=held, waves=waves, compile_s=0.0,
    )  # fmt: skip
