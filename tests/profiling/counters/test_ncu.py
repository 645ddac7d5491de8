"""How ncu is found, asked, run and read, by a stand-in that replays its words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kbgen.profiling.counters import ncu
from kbgen.profiling.counters.ncu import Request, Selection, collect_ncu, command_line
from kbgen.profiling.counters.ncu_tool import find_tool
from kbgen.profiling.counters.refusals import CountersRefused

if TYPE_CHECKING:
    from ..conftest import FakeNcu

NO_PERMISSION = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access\n"


@pytest.fixture(autouse=True)
def forget() -> None:
    """What one stand-in said is not what the next will say, though they may have one path."""
    ncu.countable.cache_clear()
    ncu.known_sections.cache_clear()


def test_the_command_leaves_the_clocks_alone_and_filters_by_a_regular_expression() -> None:
    line = command_line(
        Path("ncu"), Path("out"), ["python", "train.py"],
        Request("^softmax", skip=3, count=2, ranged=True), Selection(("a.sum", "b.avg"), ("SpeedOfLight",)),
    )  # fmt: skip
    assert line == [
        *("ncu", "--config-file", "off", "--target-processes", "all", "--replay-mode", "kernel"),
        *("--clock-control", "none", "--cache-control", "all", "--kernel-name-base", "function"),
        *("-k", "regex:^softmax", "-s", "3", "-c", "2", "--profile-from-start", "off"),
        *("--metrics", "a.sum,b.avg", "--section", "SpeedOfLight", "-f", "-o", "out", "python", "train.py"),
    ]


def test_a_launch_is_read_with_the_rules_of_the_details_page(fake_ncu: FakeNcu, tmp_path: Path) -> None:
    fake_ncu.says(output="loss 0.1\n==PROF== Report: x\n", **fake_ncu.pages("gemm", "softmax"))
    report = collect_ncu(["python"], arch="sm_90", scratch=tmp_path / "s", tool=fake_ncu.tool)
    assert [launch.kernel for launch in report.launches] == ["gemm", "softmax"]
    assert report.launches[0].value("duration") == 5000
    assert [(mark.rule, mark.speedup_pct) for mark in report.launches[1].remarks] == [("SOLBottleneck", 20.5)]
    assert report.tool_version == "2025.3.1.0"


def test_the_quick_set_is_twelve_metrics_at_most_and_asks_for_no_rules(
    fake_ncu: FakeNcu, tmp_path: Path
) -> None:
    fake_ncu.says(**fake_ncu.pages("gemm"))
    report = collect_ncu(["p"], Request(full=False), arch="sm_90", scratch=tmp_path / "s", tool=fake_ncu.tool)
    profiled = next(line for line in fake_ncu.asked() if " -o " in line)
    assert len(profiled.split("--metrics ")[1].split()[0].split(",")) <= 12
    assert "SourceCounters" not in profiled
    assert report.launches[0].remarks == ()


def test_a_name_that_the_chip_does_not_count_is_left_out_and_told(fake_ncu: FakeNcu) -> None:
    selected = ncu.selection(fake_ncu.tool, "sm_90", full=False)
    assert "dram__bytes.sum.per_second" in selected.metrics
    assert not [name for name in selected.metrics if name.startswith("lts__")]
    assert len(selected.notes) == 1
    assert "gh100" in selected.notes[0]
    assert "l2_pct" in selected.notes[0]


def test_a_tool_that_does_not_list_its_metrics_is_asked_for_all(fake_ncu: FakeNcu) -> None:
    fake_ncu.says(metrics="no such option\n")
    selected = ncu.selection(fake_ncu.tool, "sm_90", full=True)
    assert "lts__throughput.avg.pct_of_peak_sustained_elapsed" in selected.metrics
    assert selected.notes == ()
    assert selected.sections == ("SpeedOfLight", "LaunchStats", "Occupancy")  # those that it says it has


def test_numbers_are_plain_and_the_lock_file_is_our_own(fake_ncu: FakeNcu, tmp_path: Path) -> None:
    fake_ncu.says(**fake_ncu.pages("gemm"))
    collect_ncu(["p"], arch="sm_90", scratch=tmp_path / "s", tool=fake_ncu.tool)
    assert fake_ncu.environment() == ["C", str(tmp_path / "s" / "tmp")]


@pytest.mark.parametrize(
    ("output", "code", "meaning"),
    [
        (NO_PERMISSION, 1, "performance counters"),
        ("==WARNING== No kernels were profiled.\n", 0, "launched no kernel"),
        ("Segmentation fault\n", 139, "code 139 and left no report (Segmentation fault)"),
        ("", 0, "it said nothing"),
    ],
)
def test_no_report_is_refused_with_the_reason(
    fake_ncu: FakeNcu, tmp_path: Path, output: str, code: int, meaning: str
) -> None:
    fake_ncu.says(output=output, code=code)
    with pytest.raises(CountersRefused) as caught:
        collect_ncu(["p"], arch="sm_90", scratch=tmp_path, tool=fake_ncu.tool)
    assert meaning in str(caught.value)


def test_a_report_without_a_launch_is_not_taken_for_ok(fake_ncu: FakeNcu, tmp_path: Path) -> None:
    header = "\n".join(fake_ncu.pages("gemm")["raw"].splitlines()[:2]) + "\n"
    fake_ncu.says(raw=header)
    with pytest.raises(CountersRefused, match="launch"):
        collect_ncu(["p"], Request(full=False), arch="sm_90", scratch=tmp_path, tool=fake_ncu.tool)


def test_counters_of_one_card_and_none_of_another_are_a_report_with_a_note(
    fake_ncu: FakeNcu, tmp_path: Path
) -> None:
    fake_ncu.says(output=NO_PERMISSION, code=1, **fake_ncu.pages("gemm"))
    report = collect_ncu(["p"], arch="sm_90", scratch=tmp_path, tool=fake_ncu.tool)
    assert len(report.launches) == 1
    assert any("some launches were not counted" in note for note in report.notes)


def test_an_old_report_in_the_folder_is_not_taken_for_this_run(fake_ncu: FakeNcu, tmp_path: Path) -> None:
    (tmp_path / "report.ncu-rep").write_text("of yesterday")
    fake_ncu.says(output=NO_PERMISSION, code=1)
    with pytest.raises(CountersRefused):
        collect_ncu(["p"], arch="sm_90", scratch=tmp_path, tool=fake_ncu.tool)


def test_a_program_that_does_not_end_is_ended(fake_ncu: FakeNcu, tmp_path: Path) -> None:
    fake_ncu.says(sleep_s=60, **fake_ncu.pages("gemm"))
    with pytest.raises(CountersRefused, match=r"within 0\.3 s"):
        collect_ncu(["p"], Request(timeout_s=0.3), arch=None, scratch=tmp_path, tool=fake_ncu.tool)


def test_the_tool_is_found_where_it_is_said_to_be(
    fake_ncu: FakeNcu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_NCU", str(fake_ncu.tool))
    assert find_tool() == fake_ncu.tool
    monkeypatch.setenv("KBGEN_NCU", str(tmp_path / "none"))
    assert find_tool() is None
    with pytest.raises(CountersRefused, match="ncu is not installed; install Nsight Compute"):
        collect_ncu(["p"], arch="sm_90", scratch=tmp_path)
