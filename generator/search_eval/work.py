"""What a block of a compiled candidate does, step by step: facts of its plan and of its compiled code."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...hardware_specs.spec import DeviceSpec
from ...profiling.product_time import ProductWork
from ...profiling.static import KernelReport
from ..evaluated import Evaluated
from ..writers.synth.dtypes import BYTES
from ..writers.synth.loops import Loops
from ..writers.synth.schedule import Schedule
from ..writers.synth.stages import plan_stages
from ..writers.synth.traffic import planned_bytes, planned_flops
from ..writers.synth.transforms.site import Site
from ..writers.synth.writer import Plan


@dataclass(frozen=True)
class Work:
    """One kernel. All figures are of one block, bytes as they are asked of the L2.

    `steps` follow one another; `stages` of them are under way at once. A step reads `step_bytes` (of which
    `fresh` is the share that no block read before), makes `requests` of a warp each, and has `operations` on
    the ordinary lanes, `specials` on the special-function units, `matrix_flops` on a unit of `peak_tflops`.
    `again_bytes` come between two readings of a row by a block; `walks_back` if the last one is in reverse,
    `kept` if the cache is told what to keep. `waits` are loads that wait for a barrier first. `tile` is the
    sides of a product's tile for one warp, `row_bytes` a row of it in shared memory.
    """

    blocks: int
    resident: int
    warps: int
    steps: float
    stages: int
    step_bytes: float
    fresh: float
    requests: float
    operations: float
    written: float
    again_bytes: float = 0.0
    walks_back: bool = False
    kept: bool = False
    barriers: float = 0.0
    waits: float = 0.0
    specials: float = 0.0
    matrix_flops: float = 0.0
    peak_tflops: float = 0.0
    tile: tuple[float, float] = (0.0, 0.0)
    row_bytes: int = 0


def works(found: Evaluated, spec: DeviceSpec) -> list[Work]:
    """The kernels of a candidate of the built-in writer in launch order, regions one after another."""
    plan = found.candidate.plan
    if not isinstance(plan, Plan):
        raise TypeError("only the built-in writer's candidates are simulated")
    kernels = iter(found.static.kernels)
    made: list[Work] = []
    for index, schedule in plan.schedules.items():
        loops = plan.program.loops[index]
        planned = planned_bytes(loops, schedule, spec)
        own = [kernel for _, kernel in zip(planned, kernels, strict=False)]
        if loops.tiling is not None:
            made += [_products(loops, schedule, kernel, spec, found) for kernel in own]
        else:
            made += _elements(loops, schedule, planned, own, spec)
    return made


def _elements(
    loops: Loops,
    schedule: Schedule,
    planned: tuple[float, ...],
    kernels: list[KernelReport],
    spec: DeviceSpec,
) -> Iterator[Work]:
    site, operations = Site(loops, spec), planned_flops(loops)
    stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in loops.region.stores)
    passes = 1 if len(kernels) > 1 else _passes(loops, schedule, site)
    for place, (asked, kernel) in enumerate(zip(planned, kernels, strict=True)):
        written = stores if place == len(kernels) - 1 else 8.0 * kernel.blocks
        written = min(written, asked)
        read = (asked - written) / kernel.blocks
        each = _tile_bytes(site, schedule)
        steps = max(1.0, read / max(1.0, each))
        width = _mean_bytes(kernel)
        waste = _sector_waste(loops, schedule, site)
        yield Work(
            blocks=kernel.blocks,
            resident=max(1, kernel.occupancy.blocks_per_unit),
            warps=kernel.num_warps,
            steps=steps,
            stages=max(1, schedule.num_stages),
            step_bytes=read / steps * waste,
            fresh=1.0 / passes,
            requests=(read / steps) / (width * spec.warp_size),
            operations=operations / len(kernels) / kernel.blocks / steps,
            written=written / kernel.blocks,
            again_bytes=read / passes,
            walks_back=schedule.rows_in_l2,
            kept=schedule.cache_hints,
            barriers=(len(loops.reduced) > 0) * passes * math.log2(max(2, kernel.num_warps)),
            waits=0.0 if schedule.loads_first or not loops.reduced else 1.0,
        )


def _passes(loops: Loops, schedule: Schedule, site: Site) -> int:
    """How often a block reads its rows."""
    if not loops.reduced or schedule.one_tile or loops.windowed:
        return 1
    stages = plan_stages(
        loops.region, online_softmax=schedule.online_softmax, shifted_moments=schedule.shifted_moments
    )
    return max(1, len(stages) + site.writes_rows)


def _tile_bytes(site: Site, schedule: Schedule) -> float:
    """What a block reads before it waits."""
    item = sum(BYTES[load.dtype] for load in site.streams) or site.element_bytes
    rows = schedule.rows if schedule.layout == "rows" else 1
    across = schedule.depth if schedule.layout == "columns" else 1
    wide = site.padded_columns if schedule.one_tile else schedule.block
    return float(wide * rows * across * item)


def _sector_waste(loops: Loops, schedule: Schedule, site: Site) -> float:
    """Bytes of the sectors that are touched over the bytes that are wanted."""
    if schedule.layout == "columns":
        run = schedule.block * site.element_bytes
    elif loops.reduced and not loops.reduces_innermost:
        run = site.element_bytes
    else:
        run = min(site.columns, schedule.block) * site.element_bytes if loops.reduced else 4096
    odd = loops.reduced and site.columns % site.vector and not schedule.peel
    return max(1.0, math.ceil(run / 32) * 32 / run) * (1.0 + (32 / max(64, run) if odd else 0.0))


def _mean_bytes(kernel: KernelReport) -> float:
    """Of a streaming access of one lane."""
    pairs = [*kernel.load_bits.items(), *kernel.store_bits.items()]
    count = sum(n for _, n in pairs)
    return sum(bits / 8 * n for bits, n in pairs) / count if count else 4.0


def _products(
    loops: Loops, schedule: Schedule, kernel: KernelReport, spec: DeviceSpec, found: Evaluated
) -> Work:
    """A tile of matrix products, or of an attention, whose weights are made on the way."""
    assert loops.tiling is not None
    work = next(w for w in found.candidate.products if isinstance(w, ProductWork))
    stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in loops.region.stores)
    factors = sum(
        float(node.meta["val"].numel() * node.meta["val"].element_size()) for _, node in loops.region.buffers
    )
    attends = bool(loops.tiling.inner)
    side = math.sqrt(kernel.num_warps)
    asked = work.step_bytes * work.steps * kernel.blocks
    return Work(
        blocks=kernel.blocks,
        resident=max(1, kernel.occupancy.blocks_per_unit),
        warps=kernel.num_warps,
        steps=work.steps,
        stages=max(1, schedule.num_stages),
        step_bytes=work.step_bytes,
        fresh=_fresh(schedule, asked, factors, kernel, spec),
        requests=work.step_bytes / (16 * spec.warp_size),
        operations=schedule.rows * (schedule.block + 6 * schedule.depth) if attends else 0.0,
        written=stores / kernel.blocks,
        barriers=work.steps * (2.0 if attends else 1.0),
        specials=float(schedule.rows * schedule.depth) if attends else 0.0,
        matrix_flops=work.step_flops,
        peak_tflops=spec.peak_tflops[work.rate],
        tile=(schedule.rows / side, (schedule.depth if attends else schedule.block) / side),
        row_bytes=schedule.depth * 2,
    )


def _fresh(schedule: Schedule, asked: float, factors: float, kernel: KernelReport, spec: DeviceSpec) -> float:
    """Share of the factors' readings that no tile running beside it shares: a wave of n tiles walked in
    groups of h rows reads h rows of tiles and n / h columns."""
    wave = min(kernel.blocks, (spec.unit_count or 1) * max(1, kernel.occupancy.blocks_per_unit))
    high = min(wave, max(1, schedule.group))
    different = (high + wave / high) / (2.0 * wave)
    least = min(1.0, factors / asked)
    return max(least, min(1.0, different if factors > spec.l2_bytes / 2 else least))
