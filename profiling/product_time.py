"""Estimates how long tiles of a matrix product take on a card that may not be here."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
    `step_flops` on the unit `rate` (a key of `peak_tflops`), with `stages` steps under way at once."""

    step_flops: float
    step_bytes: float
    steps: int
    rate: str
    stages: int


def product_us(work: ProductWork, blocks: int, resident: int, spec: DeviceSpec) -> float:
    """An ESTIMATE for ranking tiles: `blocks` programs, `resident` of them on a unit at once.

    In a step the programs of a unit share its arithmetic and its part of the L2; each by itself is a chain of
    load latency, load and arithmetic, which stages cut into pieces that run side by side. The three overlap
    imperfectly (`OVERLAP`). The last wave holds fewer programs.
    """
    if spec.unit_count is None or spec.clock_mhz is None or not blocks:
        return blocks * work.steps * work.step_flops / spec.peak_tflops[work.rate] * 1e-6
    arithmetic = work.step_flops / (spec.peak_tflops[work.rate] * 1e6 / spec.unit_count)
    loads = work.step_bytes / (L2_BYTES_PER_CLOCK * spec.clock_mhz)
    arrival = L2_LATENCY_NS * 1e-3 + loads
    chain = arrival + arithmetic if work.stages < 2 else max(arithmetic, arrival / (work.stages - 1))

    def wave_us(programs: int) -> float:
        """Time of a wave with so many programs on the busiest unit."""
        shared = (programs * arithmetic, programs * loads, chain)
        joined = float(sum(part**OVERLAP for part in shared) ** (1 / OVERLAP))
        return work.steps * (joined + STEP_NS * 1e-3)

    whole, rest = divmod(math.ceil(blocks / spec.unit_count), max(resident, 1))
    return whole * wave_us(max(resident, 1)) + (wave_us(rest) if rest else 0.0)
