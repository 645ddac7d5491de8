"""A device that exists only as arithmetic, with what no sheet tells of a real one drawn from a seed.

It is there to compare search strategies where no card is at hand. Its time model shares no formula with
`profiling/roofline.py` and `product_time.py`, which steer the search; both read the same sheet, and the same
facts of the compiled code, as both would of a real card. Nothing it says is a measurement.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from ...hardware_specs.spec import DeviceSpec

LANES = {"nvidia": 128, "amd": 64}
"""Ordinary operations a unit issues in a clock."""


@dataclass(frozen=True)
class Machine:
    """Times in ns, rates in bytes or operations per ns, of one unit where nothing else is said.

    `l2_bytes` is what of the L2 holds data that is read again; `write_cost` what DRAM loses where all traffic
    is writes; `queue` how much latency grows as a full DRAM nears; `block_ns` what a block costs to start and
    to drain; `jitter` the spread of blocks that do the same; `quirk` that of kernels, which no model knows.
    """

    seed: int
    units: int
    warp: int
    clock_ghz: float
    dram_gb_s: float
    dram_latency_ns: float
    l2_gb_s: float
    l2_latency_ns: float
    l2_bytes: float
    write_cost: float
    queue: float
    request_clocks: float
    issue_per_ns: float
    special_per_ns: float
    barrier_ns: float
    step_ns: float
    block_ns: float
    launch_us: float
    matrix_share: float
    tile_overhead: float
    throttle: float
    jitter: float
    quirk: float

    def bank_factor(self, row_bytes: int) -> float:
        """What conflicts in shared memory make of a step, by the length of its rows there."""
        return random.Random(f"{self.seed} {row_bytes}").choice((1.0, 1.0, 1.06, 1.2))

    def quirk_of(self, code: str) -> float:
        """What this device makes of this code, and no model knows."""
        return random.Random(f"{self.seed} {code}").lognormvariate(0.0, self.quirk)


def draw(spec: DeviceSpec, seed: int) -> Machine:
    """The device of that seed; equal seeds give equal devices."""
    dice = random.Random(f"{spec.id} {seed}")
    clock = (spec.clock_mhz or 1500.0) / 1000 * dice.uniform(0.86, 1.0)
    units = spec.unit_count or 1
    return Machine(
        seed=seed,
        units=units,
        warp=spec.warp_size,
        clock_ghz=clock,
        dram_gb_s=spec.dram_gb_s * dice.uniform(0.80, 0.95),
        dram_latency_ns=(spec.dram_latency_ns or 430.0) * dice.uniform(0.85, 1.3),
        l2_gb_s=units * clock * dice.uniform(24.0, 60.0),
        l2_latency_ns=dice.uniform(150.0, 260.0),
        l2_bytes=spec.l2_bytes * dice.uniform(0.5, 0.9),
        write_cost=dice.uniform(0.0, 0.2),
        queue=dice.uniform(0.2, 0.8),
        request_clocks=dice.uniform(1.0, 3.0),
        issue_per_ns=LANES[spec.vendor] * clock * dice.uniform(0.45, 0.75),
        special_per_ns=16 * clock * dice.uniform(0.7, 1.0),
        barrier_ns=dice.uniform(12.0, 40.0),
        step_ns=dice.uniform(15.0, 50.0),
        block_ns=dice.uniform(250.0, 900.0),
        launch_us=dice.uniform(1.8, 4.5),
        matrix_share=dice.uniform(0.6, 0.9),
        tile_overhead=dice.uniform(6.0, 30.0),
        throttle=dice.uniform(0.0, 0.1),
        jitter=dice.uniform(0.01, 0.08),
        quirk=dice.uniform(0.005, 0.025),
    )
