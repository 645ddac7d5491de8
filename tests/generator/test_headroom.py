"""What a technique can still give follows from the part of the estimated time that it addresses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.evaluated import Evaluated
from kbgen.generator.headroom import Headroom
from kbgen.generator.writers.writer import Candidate
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.occupancy import occupancy
from kbgen.profiling.roofline import LAUNCH_US, Estimate
from kbgen.profiling.static import KernelReport, StaticReport

SPEC = find_spec("h100")
LEAST = 1e8
PEAK_US = LEAST / SPEC.dram_gb_s * 1e-3
LEVERS = {"fewer-bytes": ["dram_bandwidth"], "hide": ["memory_latency"], "waves": ["tail_effect"],
          "launches": ["launch_overhead"], "other": ["fp64_pipe_of_another_kind"]}  # fmt: skip


def bounds(memory_us: float, moved: float = LEAST, waves: float = 8.0, launches: int = 1) -> dict[str, float]:
    kernel = KernelReport(
        name="rows", arch="sm_90", grid=(4096, 1, 1), num_warps=4, num_stages=1, registers=32, spill_bytes=0,
        shared_bytes=0, load_bits={128: 2}, store_bits={128: 1}, instructions={},
        occupancy=occupancy(SPEC, 128, 32, 0), waves=waves, compile_s=0.0,
    )  # fmt: skip
    launch_us = launches * LAUNCH_US
    estimate = Estimate(memory_us, 1.0, 1.0, launch_us, memory_us + launch_us)
    found = Evaluated(
        Candidate("pass", "x", bytes_per_kernel=(moved,)),
        Path(),
        StaticReport("sm_90", (kernel,), ()),
        estimate,
    )
    return dict(Headroom(LEVERS, LEAST, SPEC).of(found))


def test_a_kernel_that_is_at_the_peak_leaves_nothing() -> None:
    found = bounds(PEAK_US)
    assert found == pytest.approx({"fewer-bytes": 1.0, "hide": 1.0, "waves": 1.0, "launches": 1.0})


def test_what_moves_twice_the_bytes_gains_by_fewer_and_not_by_hiding() -> None:
    found = bounds(2 * PEAK_US, moved=2 * LEAST)
    assert found["fewer-bytes"] == pytest.approx((2 * PEAK_US + LAUNCH_US) / (PEAK_US + LAUNCH_US))
    assert found["hide"] == pytest.approx(1.0)


def test_what_waits_gains_by_hiding() -> None:
    assert bounds(2 * PEAK_US)["hide"] == pytest.approx((2 * PEAK_US + LAUNCH_US) / (PEAK_US + LAUNCH_US))


def test_a_half_empty_last_wave_and_many_launches_bound_what_helps_there() -> None:
    assert bounds(PEAK_US, waves=1.5)["waves"] == pytest.approx(
        (PEAK_US + 3) / (0.75 * PEAK_US + 3), rel=1e-3
    )
    assert bounds(PEAK_US, launches=4)["launches"] > 1.2


def test_a_class_that_is_no_part_of_the_time_has_no_bound_and_neither_has_a_rejected_kernel() -> None:
    assert "other" not in bounds(PEAK_US)
    rejected = Evaluated(Candidate("pass", "x"), Path(), StaticReport("sm_90", (), ("no",)), None)
    assert Headroom(LEVERS, LEAST, SPEC).of(replace(rejected)) == {}
