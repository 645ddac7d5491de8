"""Ceilings: measured on the simulated card, kept durably, compared with the sheet, used for rooflines."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.calibrate import calibrate
from kbgen.profiling.calibration import (
    Calibration,
    CalibrationError,
    compare,
    keep,
    stored,
    with_ceilings,
)
from kbgen.profiling.probe import ClockState, LiveFacts, NoCardError
from kbgen.profiling.roofline import roofline
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.task import Task

FACTS = LiveFacts("NVIDIA H200", "nvidia", "sm_90", 132, 150_000_000_000, 60 << 20, "580.159.04", "cuda 13.0")
CAPPED = ClockState(1500, 3201, 80, 699.0, ("software power cap",))
BYTES, FLOPS = 2.0**31, 2.0 * 8192**3


class Here:
    """A machine with an H200, or none."""

    def __init__(self, facts: LiveFacts | None = FACTS) -> None:
        self._facts = facts

    def facts(self) -> LiveFacts:
        if self._facts is None:
            raise NoCardError("no card in this test")
        return self._facts

    def clocks(self) -> ClockState | None:
        return None


def task(clock: SimulatedClock, key: str, work: float, us: float, **how: Any) -> Task:
    """A call of `us` microseconds that does `work`; rates as for bytes, flops and launches."""
    unit, scale = (
        ("GB/s", 1e-3) if key.endswith("gb_s") else ("us", 1.0) if key.endswith("us") else ("TFLOP/s", 1e-6)
    )
    return Task(key, unit, scale, "a test", lambda: (clock.kernel(us, name=key), work), **how)


def run(folder: Path, clock: SimulatedClock, *tasks: Task, **how: Any) -> Calibration:
    return calibrate(folder=folder, probe=Here(), clock=clock, tasks=tasks, rest=lambda seconds: None, **how)


@pytest.fixture
def healthy(tmp_path: Path) -> Calibration:
    """4.3 TB/s and 785 TFLOP/s: what an H200 reaches."""
    clock = SimulatedClock()
    return run(
        tmp_path, clock, task(clock, "dram_copy_gb_s", BYTES, BYTES / 4300e3),
        task(clock, "tensor_bf16", FLOPS, FLOPS / 785e6),
        task(clock, "launch_us", 100, 210.0, inverse=True), task(clock, "l2_read_gb_s", BYTES, 400.0),
    )  # fmt: skip


def test_rates_are_work_over_time_with_an_interval(healthy: Calibration) -> None:
    copy, product, launch, cache = healthy.ceilings
    for ceiling, value in ((copy, 4300), (product, 785), (launch, 2.1), (cache, BYTES / 400e3)):
        assert ceiling.value == pytest.approx(value, rel=0.02)
        assert ceiling.low <= ceiling.value <= ceiling.high
        assert ceiling.samples >= 5
    assert healthy.source == "simulated"
    assert (healthy.device, healthy.driver) == ("NVIDIA H200", "580.159.04")


def test_host_time_is_taken_for_what_the_host_does(tmp_path: Path) -> None:
    clock = SimulatedClock(launch_us=40.0)
    call = lambda: [clock.launch(2.0) for _ in range(100)]  # noqa: E731
    enqueue = Task("enqueue_us", "us", 1.0, "a test", lambda: (call, 100.0), inverse=True, on_host=True)
    assert run(tmp_path, clock, enqueue).value("enqueue_us") == pytest.approx(40.0, rel=0.01)


def test_a_burst_is_over_before_the_power_limit_bites(tmp_path: Path) -> None:
    """Clocks fall after 100 ms of work: a kernel timed by itself never sees that, a training run does."""
    worked = 0.0

    def call() -> None:
        nonlocal worked
        worked += 3000.0
        clock.launch(3000.0 if worked < 100_000 else 4000.0)

    def rest(seconds: float) -> None:
        nonlocal worked
        worked = 0.0

    clock = SimulatedClock()
    burst = Task("tensor_bf16", "TFLOP/s", 1e-6, "a test", lambda: (call, FLOPS), burst=True)
    sustained = dataclasses.replace(burst, key="tensor_bf16_sustained", burst=False)
    found = calibrate(folder=tmp_path, probe=Here(), clock=clock, tasks=(sustained, burst), rest=rest)
    assert found.value("tensor_bf16") == pytest.approx(FLOPS / 3000e6, rel=0.02)
    assert found.value("tensor_bf16_sustained") == pytest.approx(FLOPS / 4000e6, rel=0.02)


def test_what_the_card_cannot_do_is_left_out_with_a_note(tmp_path: Path) -> None:
    def fails() -> tuple[Callable[[], object], float]:
        raise RuntimeError("_scaled_mm: only on 8.9 and later\nwith a stack")

    clock = SimulatedClock()
    found = run(
        tmp_path, clock, Task("tensor_fp8", "TFLOP/s", 1e-6, "a test", fails),
        task(clock, "dram_copy_gb_s", BYTES, 500.0),
    )  # fmt: skip
    assert found.notes == ("tensor_fp8: RuntimeError: _scaled_mm: only on 8.9 and later",)
    assert found.value("tensor_fp8") is None
    assert found.value("dram_copy_gb_s") is not None


def test_it_ends_within_its_budget_and_says_what_is_missing(tmp_path: Path) -> None:
    clock = SimulatedClock()
    slow = [task(clock, f"slow{index}_us", 1, 400_000.0) for index in range(30)]
    found = run(tmp_path, clock, *slow)
    assert found.seconds < 60
    assert len(found.ceilings) + len(found.notes) == 30
    assert "left out" in found.notes[-1]


def test_no_card_is_no_calibration(tmp_path: Path) -> None:
    with pytest.raises(NoCardError):
        calibrate(folder=tmp_path, probe=Here(None), clock=SimulatedClock(), tasks=())
    assert not list(tmp_path.iterdir())


def test_it_is_kept_and_found_again_and_an_older_one_is_replaced(
    healthy: Calibration, tmp_path: Path
) -> None:
    assert stored("NVIDIA H200", 132, tmp_path) == healthy
    later = dataclasses.replace(healthy, taken="2031-01-01T00:00:00+00:00")
    keep(later, tmp_path)
    assert stored("NVIDIA H200", 132, tmp_path) == later
    assert [path.name for path in tmp_path.iterdir()] == ["nvidia-h200-132-units.json"]
    assert later.age_days(date(2031, 4, 1)) == 90


def test_a_slice_of_the_card_is_another_card(healthy: Calibration, tmp_path: Path) -> None:
    assert stored("NVIDIA H200", 16, tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"device": 1, "ceilings": 5, "before": null, "notes": []}']
)
def test_a_spoilt_file_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "nvidia-h200-132-units.json").write_text(text)
    with pytest.raises(CalibrationError, match="run `kbgen calibrate` again"):
        stored("NVIDIA H200", 132, tmp_path)


def test_a_folder_that_cannot_be_written_is_told(healthy: Calibration, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CalibrationError, match="KBGEN_CALIBRATIONS"):
        keep(healthy, tmp_path / "file" / "below")


def test_what_such_cards_reach_is_no_warning(healthy: Calibration) -> None:
    """90 % of DRAM's peak and 79 % of the matrix units' are what an H200 gives."""
    copy, product, launch, cache = compare(healthy, find_spec("h200"))
    assert copy.share == pytest.approx(0.9, abs=0.02)
    assert product.share == pytest.approx(0.79, abs=0.02)
    assert (launch.peak, cache.peak) == (None, None)
    assert not [one.warning for one in (copy, product, launch, cache) if one.warning]


@pytest.mark.parametrize(
    ("tb_s", "throttled", "warning"),
    [
        (3.6, False, "less than the usual 90%: look for a slice"),
        (3.6, True, "the card was held back: software power cap"),
        (4.1, False, ""),
        (5.2, False, "108% of the sheet's peak: the sheet or the card's name is wrong"),
    ],
)
def test_ten_percent_off_the_usual_is_warned_about(
    tmp_path: Path, tb_s: float, throttled: bool, warning: str
) -> None:
    clock = SimulatedClock(states=(CAPPED,) * 3 if throttled else ())
    found = run(tmp_path, clock, task(clock, "dram_copy_gb_s", BYTES, BYTES / tb_s / 1e6))
    (compared,) = compare(found, find_spec("h200"))
    assert warning in compared.warning
    assert bool(warning) == bool(compared.warning)
    assert found.throttle == (CAPPED.throttle if throttled else ())


def test_rooflines_stand_on_what_was_measured_where_it_was(healthy: Calibration) -> None:
    sheet = find_spec("h200")
    roof = with_ceilings(sheet, healthy)
    assert roof.dram_gb_s == roof.dram_copy_gb_s == healthy.value("dram_copy_gb_s")
    assert roof.peak_tflops["tensor_bf16"] == healthy.value("tensor_bf16")
    assert roof.peak_tflops["fp32"] == sheet.peak_tflops["fp32"]
    assert roofline(0, 1e9, roof).memory_us == pytest.approx(1e6 / 4300, rel=0.02)
    assert with_ceilings(sheet, None) is sheet


def test_a_real_h200_is_calibrated_without_a_warning() -> None:
    """13 ceilings in 7 s; the power limit was met by the sustained product alone."""
    path = Path(__file__).parent / "measured" / "h200" / "calibration.json"
    found = Calibration.from_json(json.loads(path.read_text()))
    assert (found.source, found.device, found.notes) == ("device-events", "NVIDIA H200", ())
    assert len(found.ceilings) == 13
    assert found.seconds < 60
    assert [one.warning for one in compare(found, find_spec("h200")) if one.warning] == []
    assert found.ceilings[-1].throttle == ("software power cap",)
    assert found.throttle == ()
    burst, sustained = found.value("tensor_bf16"), found.value("tensor_bf16_sustained")
    assert burst is not None
    assert sustained is not None
    assert sustained < 0.95 * burst
    roof = with_ceilings(find_spec("h200"), found)
    assert roof.dram_gb_s == found.value("dram_read_gb_s")


def test_the_json_reads_back_and_names_its_schema(healthy: Calibration) -> None:
    raw = json.loads(json.dumps(healthy.to_json()))
    assert raw["schema"] == "kbgen-calibration/1"
    assert Calibration.from_json(raw) == healthy
