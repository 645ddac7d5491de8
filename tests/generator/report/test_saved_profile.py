"""A saved profile is read back as it was, and what is none is refused in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.report import json_report
from kbgen.generator.report.profile_document import command_profile
from kbgen.generator.report.saved_profile import SavedProfileError, is_saved, read_saved
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.counters.record import CounterReport, Launch, Reading, Remark

LAUNCH = Launch(
    0, "rows_kernel", {"duration": Reading(2e4, "gpu__time_duration.sum"), "dram_pct": Reading(81.0, "x")},
    (128, 1, 1), (256, 1, 1), "NVIDIA H100 80GB HBM3", "sm_90",
    (Remark("A rule", "OPT", "text", 12.5, "global"),),
    ("a flag",),
)  # fmt: skip
REPORT = CounterReport("ncu", (LAUNCH,), "2025.3", ("a note",))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "profile.json"
    json_report.write(path, "profile", command_profile("python train.py", REPORT, find_spec("h100")))
    return path


def changed(path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return path


def test_no_number_is_lost(saved: Path) -> None:
    assert is_saved(saved)
    found = read_saved(saved)
    assert found.counters == REPORT
    assert (found.name, found.device) == ("python train.py", "nvidia-h100-sxm5")


def test_a_diagnosis_alone_is_read_with_the_remedies_of_its_classes(saved: Path) -> None:
    entry = {"class": "spills", "confidence": "medium", "evidence": "spills (medium): ..."}
    unknown = {**entry, "class": "of_another_release"}
    found = read_saved(changed(saved, counters=None, bottlenecks=[entry, unknown], level="D"))
    assert found.counters is None
    assert [one.cls for one in found.diagnosis.bottlenecks] == ["spills"]
    assert found.diagnosis.bottlenecks[0].remedies


def test_readings_that_no_rule_could_read_are_left_out_and_told(saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["counters"]["launches"][0]["readings"]["made_up"] = {"value": 1.0, "source": "x"}
    found = read_saved(changed(saved, counters=document["counters"]))
    assert found.counters is not None
    assert set(found.counters.launches[0].readings) == {"duration", "dram_pct"}
    assert "made_up" in found.counters.notes[-1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"schema": "kbgen/optimize/1"}, "schema"),
        ({"bottlenecks": [{"class": "spills", "confidence": "certain", "evidence": ""}]}, "confidence"),
        ({"counters": {"tool": "ncu", "launches": [{"index": "first"}]}}, "counters.launches"),
        ({"level": "Z"}, "level"),
    ],
)
def test_what_is_no_saved_profile_is_refused(saved: Path, change: dict[str, Any], told: str) -> None:
    with pytest.raises(SavedProfileError, match=told) as refused:
        read_saved(changed(saved, **change))
    assert "kbgen profile --out" in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "kbgen/profile/1"', "[" * 5000])
def test_broken_json_is_refused(saved: Path, text: str) -> None:
    saved.write_text(text)
    with pytest.raises(SavedProfileError):
        read_saved(saved)


def test_other_files_are_not_taken_for_saved_profiles(tmp_path: Path) -> None:
    other = tmp_path / "report.json"
    other.write_text('{"schema": "kbgen/optimize/1"}')
    assert not is_saved(other)
    assert not is_saved(tmp_path / "absent.json")
