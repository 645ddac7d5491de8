"""The live card beside its sheet, and a card that no sheet names."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.calibration import Calibration, Ceiling, keep
from kbgen.profiling.device import DeviceError, detect
from kbgen.profiling.devices import survey
from kbgen.profiling.probe import ClockState, LiveFacts
from kbgen.profiling.settings import CardSettings

H200 = LiveFacts(
    "NVIDIA H200", "nvidia", "sm_90", 132, 150_000_000_000, 60 << 20, "580.159.04", "cuda 13.0",
    {"clock_mhz": 1980, "memory_clock_mhz": 3201, "bus_bits": 6016, "max_threads_per_unit": 2048,
     "registers_per_unit": 65536, "shared_bytes_per_unit": 228 << 10, "shared_bytes_per_block": 227 << 10},
)  # fmt: skip
QUIET = CardSettings(power_limit_w=700.0, default_power_limit_w=700.0, mig=False, ecc=True)
CLOCKS = ClockState(1980, 3201, 40, 120.0, ())


class Here:
    """A machine with this card, whose clocks read so."""

    def __init__(self, facts: LiveFacts = H200, clocks: ClockState | None = CLOCKS) -> None:
        self._facts, self._clocks = facts, clocks

    def facts(self) -> LiveFacts:
        return self._facts

    def clocks(self) -> ClockState | None:
        return self._clocks


def calibrated(facts: LiveFacts, days: int = 0, **values: float) -> Calibration:
    taken = datetime.now(timezone.utc) - timedelta(days=days)
    return Calibration(
        facts.name, facts.arch, facts.unit_count, facts.driver, facts.runtime, "2.11.0", "3.6.0",
        taken.isoformat(timespec="seconds"), 20.0, "device-events",
        tuple(Ceiling(key, value, "unit", value, value, 40, "a test") for key, value in values.items()),
        None, None,
    )  # fmt: skip


def test_a_healthy_card_is_its_sheet(tmp_path: Path) -> None:
    keep(calibrated(H200, dram_copy_gb_s=4300, tensor_bf16=790), tmp_path)
    found = survey(Here(), tmp_path, QUIET)
    lines = {line.what: line for line in found.lines}
    assert (lines["units"].live, lines["units"].table) == (132, 132)
    assert lines["DRAM by bus and clock"].live == pytest.approx(4814.3, abs=0.1)
    assert (lines["L2"].live, lines["L2"].table) == (60, 60)
    assert not [line for line in found.lines if line.remark and line.what != "memory"]
    assert found.warnings == ()
    assert found.calibration_age_days == 0
    assert found.device.ceilings.startswith("measured 20")
    assert found.device.roof.dram_gb_s == 4300
    assert found.device.spec.dram_gb_s == 4800


def test_without_a_calibration_it_says_how_to_make_one(tmp_path: Path) -> None:
    found = survey(Here(), tmp_path, QUIET)
    assert found.warnings == ("not calibrated: `kbgen calibrate` measures its ceilings in a minute",)
    assert (found.compared, found.calibration_age_days, found.device.ceilings) == ((), None, "specification")
    assert found.device.roof == found.device.spec


@pytest.mark.parametrize(
    ("settings", "clocks", "warning"),
    [
        (dataclasses.replace(QUIET, mig=True), CLOCKS, "MIG is on"),
        (dataclasses.replace(QUIET, power_limit_w=500.0), CLOCKS, "the power limit is 500 W"),
        (dataclasses.replace(QUIET, partition=("CPX", "NPS4")), CLOCKS, "partitioned (CPX, NPS4)"),
        (QUIET, dataclasses.replace(CLOCKS, throttle=("software power cap",)), "software power cap"),
    ],
)
def test_what_makes_it_unlike_others_of_its_name_is_told(
    tmp_path: Path, settings: CardSettings, clocks: ClockState, warning: str
) -> None:
    assert any(warning in said for said in survey(Here(clocks=clocks), tmp_path, settings).warnings)


def test_an_old_or_foreign_calibration_is_told(tmp_path: Path) -> None:
    older = dataclasses.replace(H200, driver="535.1")
    keep(calibrated(older, days=200, dram_copy_gb_s=3000), tmp_path)
    said = " | ".join(survey(Here(), tmp_path, QUIET).warnings)
    assert "200 days old" in said
    assert "calibrated under driver 535.1, this is 580.159.04" in said
    assert "dram_copy_gb_s is 62% of peak" in said


def test_a_spoilt_calibration_is_told_and_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / "nvidia-h200-132-units.json").write_text("{")
    device = detect("auto", Here(), tmp_path)
    assert device.calibration is None
    assert "does not read as a calibration" in device.warnings[0]


def test_the_report_is_plain_json(tmp_path: Path) -> None:
    keep(calibrated(H200, dram_copy_gb_s=4300), tmp_path)
    document = json.loads(json.dumps(survey(Here(), tmp_path, QUIET).to_json()))
    assert document["used"] == "nvidia-h200-sxm"
    assert document["compared"][0]["share"] == pytest.approx(0.896, abs=0.001)


UNKNOWN = dataclasses.replace(H200, name="NVIDIA H250", unit_count=144, memory_bytes=192 << 30)


def test_an_unknown_card_is_described_by_itself(tmp_path: Path) -> None:
    """Of a sibling's architecture: its units and clock scale the peaks, its bus gives the bandwidth."""
    device = detect("auto", Here(UNKNOWN), tmp_path)
    spec, sibling = device.spec, find_spec("h200")
    assert device.live
    assert (spec.id, spec.name, spec.arch, spec.unit_count) == ("nvidia-h250", "NVIDIA H250", "sm_90", 144)
    assert spec.dram_gb_s == pytest.approx(4814.3, abs=0.1)
    assert spec.peak_tflops["tensor_bf16"] == pytest.approx(sibling.peak_tflops["tensor_bf16"] * 144 / 132)
    assert spec.memory_gb == pytest.approx(206, abs=1)
    assert (spec.dram_copy_gb_s, spec.dram_latency_ns) == (None, None)  # a sibling's readings are not its own
    assert "no sheet names NVIDIA H250" in device.warnings[0]
    assert "kbgen calibrate" in device.warnings[-1]
    assert not [
        one for one in survey(Here(UNKNOWN), tmp_path, QUIET).lines if one.what == "power limit" and one.table
    ]


def test_an_unknown_card_can_be_asked_for_by_its_name(tmp_path: Path) -> None:
    assert detect("nvidia h250", Here(UNKNOWN), tmp_path).live


def test_what_was_measured_of_an_unknown_card_is_its_peak(tmp_path: Path) -> None:
    silent = dataclasses.replace(UNKNOWN, attributes={})
    keep(calibrated(silent, dram_read_gb_s=5000, tensor_bf16=900), tmp_path)
    device = detect("auto", Here(silent), tmp_path)
    assert device.spec.dram_gb_s == 5000
    assert device.spec.peak_tflops["tensor_bf16"] == 900
    assert "the measured one stands for the peak" in device.warnings[-1]


def test_an_unknown_card_of_unknown_bandwidth_asks_for_a_calibration(tmp_path: Path) -> None:
    silent = dataclasses.replace(UNKNOWN, attributes={})
    with pytest.raises(DeviceError, match=r"'NVIDIA H250' \(sm_90\).*run `kbgen calibrate`"):
        detect("auto", Here(silent), tmp_path)


def test_an_unknown_architecture_borrows_from_the_next_older_one(tmp_path: Path) -> None:
    newer = dataclasses.replace(UNKNOWN, name="NVIDIA Z1", arch="sm_95", unit_count=100)
    device = detect("auto", Here(newer), tmp_path)
    assert device.arch == "sm_95"
    assert any("sm_95 itself has no sheet" in said and "sm_90" in said for said in device.warnings)
