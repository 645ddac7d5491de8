"""Measures how long advice on a report of many kernels takes, on a report that is made up for it."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..profiling.counters.record import CounterReport, Launch, Reading
from .kernels import advise_report

if TYPE_CHECKING:
    from ..kb.library import Library

_NAMES = (
    "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn", "rms_norm_kernel", "fused_softmax",
    "transposeCoalesced", "flash_fwd_kernel", "add_kernel", "my_matmul_kernel", "vecCopy", "reduce_rows",
    "void at::native::vectorized_elementwise_kernel<4, x>(int)",
)  # fmt: skip
_DEVICE, _TARGET = "NVIDIA H100 80GB HBM3", "sm_90"


@dataclass(frozen=True)
class Pace:
    """`questions` differ in the classes found, `searches` in their words. `load_s` is from opening the
    library to its first answer; `advise_s` what follows, on the wall's clock and on the processor."""

    kernels: int
    questions: int
    searches: int
    embedder: str | None
    load_s: float
    advise_s: float
    advise_cpu_s: float


def measure(library: Library, kernels: int = 100) -> Pace:
    """Advise on a report of so many kernels whose counters are drawn at random, from a fixed seed."""
    report = made_up(kernels)
    began = time.perf_counter()
    library.search("warm up", kind="technique")
    loaded, computed = time.perf_counter(), time.process_time()
    advised = advise_report(report, library)
    advise_s, advise_cpu_s = time.perf_counter() - loaded, time.process_time() - computed
    return Pace(
        kernels=len(advised),
        questions=len({(one.query, one.diagnosis.bottlenecks) for one in advised}),
        searches=len({one.query for one in advised}),
        embedder=library.choice.name,
        load_s=round(loaded - began, 2),
        advise_s=round(advise_s, 2),
        advise_cpu_s=round(advise_cpu_s, 2),
    )


def made_up(kernels: int) -> CounterReport:
    """A report of so many kernels, each launched once, held back by whatever chance gave them."""
    chance = random.Random(1)
    return CounterReport("ncu", tuple(_launch(number, chance) for number in range(kernels)))


def _launch(number: int, chance: random.Random) -> Launch:
    units = {key: chance.uniform(5, 95) for key in ("sm_pct", "dram_pct", "l2_pct", "l1_pct")}
    grid = chance.choice((64, 132, 200, 4096))
    values = units | {
        "mem_pct": max(units["dram_pct"], units["l2_pct"], units["l1_pct"]),
        "duration": chance.uniform(3e3, 3e6),
        "grid": grid,
        "block": 256,
        "regs": chance.choice((32, 64, 168)),
        "smem_block": 0,
        "stall_long_scoreboard": chance.uniform(0, 0.6),
        "stall_barrier": chance.uniform(0, 0.6),
        "threads_per_inst": chance.choice((14, 31, 32)),
        "ld_bytes_per_sector": chance.choice((8, 32, 32)),
        "issue_active": chance.random(),
        "pipe_tensor": chance.choice((0, 0, 30, 70)),
        "pipe_fma": chance.uniform(0, 80),
        "shared_conflicts": chance.choice((0, 500)),
        "shared_wavefronts": 1000,
        "local_ld": 0,
        "local_st": 0,
        "inst": 1e6,
    }
    return Launch(
        number,
        f"{_NAMES[number % len(_NAMES)]}_{number}",
        {key: Reading(float(value), key) for key, value in values.items()},
        (grid, 1, 1),
        (256, 1, 1),
        _DEVICE,
        _TARGET,
    )
