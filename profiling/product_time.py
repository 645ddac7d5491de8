"""Estimates how long tiles of a matrix product take on a card that may not be here."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ..hardware_specs.spec import DeviceSpec

L2_BYTES_PER_CLOCK = 32.0
"""What one SM or CU draws from the L2 when all of them do, half of its port: H100 reaches about 5.7 TB/s by
published microbenchmarks (25 byte a clock on each of 132 SMs), A100 some 30."""

L2_LATENCY_NS = 180.0
"""A tile found in the L2 by a neighbour's load: 260 to 280 cycles on A100 and H100 at their boost clocks."""

OVERLAP = 3.0
"""Exponent of the norm that joins what shares a step: 1 is one after another, infinity perfect overlap."""

STEP_NS = 30.0
"""Barrier, loop and address arithmetic of one step, whatever its tile."""


@dataclass(frozen=True)
class ProductWork:
    """What a program of a matrix-product kernel does: `steps` times it reads `step_bytes` of factors and does
    `step_flops` on the unit `rate` (a key of `peak_tflops`), with `stages` steps under way at once.

    Before the first step `fill_us` pass with nothing to multiply, behind the last one results leave for
    `drain_us`. `walked` tiles in all are for programs that stay, each walking them one after another, 0 for a
    tile a program. With `roles` some warps load while others multiply.
    """

    step_flops: float
    step_bytes: float
    steps: int
    rate: str
    stages: int
    fill_us: float = 0.0
    drain_us: float = 0.0
    walked: int = 0
    roles: bool = False

    @property
    def ends_us(self) -> float:
        """What passes of each tile beside its steps. Loads for the next tile, where steps are under way ahead
        of the products, fill the time in which results leave; where warps have roles, so do products."""
        if not self.walked or self.stages < 2:
            return self.fill_us + self.drain_us
        return 0.0 if self.roles else self.drain_us


def product_us(work: ProductWork, blocks: int, resident: int, spec: DeviceSpec) -> float:
    """An ESTIMATE for ranking tiles: `blocks` programs, `resident` of them on a unit at once.

    In a step the programs of a unit share its arithmetic and its part of the L2; each by itself is a chain of
    load latency, load and arithmetic, which stages cut into pieces that run side by side. The three overlap
    imperfectly (`OVERLAP`). The last wave holds fewer programs.

    The ends of tiles are left out, which ranks tiles as they were measured. Where programs walk tiles or
    warps have roles, the time is less by the share that these save of the time with ends (`ended_us`).
    """
    plain = replace(work, fill_us=0.0, drain_us=0.0, walked=0, roles=False)
    count, at_once = work.walked or blocks, _at_once(work, blocks, resident, spec)
    dealt = ended_us(plain, count, at_once, spec)
    if not (work.walked or work.roles) or not dealt:
        return dealt
    with_ends = ended_us(replace(work, walked=0, roles=False), count, at_once, spec)
    return dealt * ended_us(work, blocks, resident, spec) / with_ends


def ended_us(work: ProductWork, blocks: int, resident: int, spec: DeviceSpec) -> float:
    """The same with the ends of tiles, in which a program's neighbours on the unit go on; where there are
    roles, what a step costs besides is for the warps that load."""
    count = work.walked or blocks
    if spec.unit_count is None or spec.clock_mhz is None or not count:
        return count * work.steps * work.step_flops / spec.peak_tflops[work.rate] * 1e-6
    arithmetic = work.step_flops / (spec.peak_tflops[work.rate] * 1e6 / spec.unit_count)
    loads = work.step_bytes / (L2_BYTES_PER_CLOCK * spec.clock_mhz)
    arrival = L2_LATENCY_NS * 1e-3 + loads
    chain = arrival + arithmetic if work.stages < 2 else max(arithmetic, arrival / (work.stages - 1))

    def wave_us(programs: int) -> float:
        """Time of a wave with so many programs on the busiest unit."""
        shared = (programs * arithmetic, programs * loads, chain)
        joined = float(sum(part**OVERLAP for part in shared) ** (1 / OVERLAP))
        step = joined + (0.0 if work.roles else STEP_NS * 1e-3)
        return work.steps * step + work.ends_us / programs

    at_once = _at_once(work, blocks, resident, spec)
    whole, rest = divmod(math.ceil(count / spec.unit_count), at_once)
    once = work.fill_us + work.drain_us - work.ends_us if work.walked else 0.0
    return once + whole * wave_us(at_once) + (wave_us(rest) if rest else 0.0)


def _at_once(work: ProductWork, blocks: int, resident: int, spec: DeviceSpec) -> int:
    """Programs on a unit at once: as many as fit, or of those that stay as many as there are for it."""
    if not work.walked or spec.unit_count is None:
        return max(1, resident)
    return max(1, min(resident, math.ceil(blocks / spec.unit_count)))
