"""Nsight Compute reports: through the ncu_report package, through ncu, or one sentence with both cures."""

import os
import sys
from pathlib import Path

import pytest

from kbgen.profiling.counters import ncu_rep
from kbgen.profiling.counters.read import read_profile
from kbgen.profiling.counters.textfile import UnreadableProfileError

# The interface that NVIDIA documents, with two launches of known values.
PACKAGE = """
class Metric:
    def __init__(self, value, unit): self._value, self._unit = value, unit
    def value(self): return self._value
    def unit(self): return self._unit

METRICS = {
    "gpu__time_duration.sum": (31424.0, "ns"),
    "dram__bytes.sum.per_second": (3497588594704.6846, "byte/s"),
    "launch__grid_size": (8192, ""),
    "launch__grid_dim_x": (8192, ""), "launch__grid_dim_y": (1, ""), "launch__grid_dim_z": (1, "block"),
    "smsp__average_warp_latency_per_inst_issued.ratio": (34.5, "cycle"),
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio": (6.9, "inst"),
    "l1tex__t_sector_hit_rate.pct": (float("nan"), "%"),
    "lts__t_sector_hit_rate.pct": (None, "%"),
    "sm__cycles_active.max": (10.0, "furlong"),
    "device__attribute_display_name": ("NVIDIA H200", ""),
    "device__attribute_compute_capability_major": (9, ""),
    "device__attribute_compute_capability_minor": (0, ""),
}

class Action:
    NameBase_DEMANGLED = 1
    def __init__(self, name): self._name = name
    def name(self, base=0): return self._name + ("(float*)" if base == 1 else "")
    def metric_names(self): return tuple(METRICS)
    def metric_by_name(self, name): return Metric(*METRICS[name]) if name in METRICS else None
    def rule_results_as_dicts(self):
        message = ("Look at the @section:MemoryWorkloadAnalysis:Memory Workload Analysis@ section, "
                   "see the @url:Guide:https://docs.example/x@.")
        return (
            {"rule_identifier": "SOLBottleneck", "rule_message": {"message": message, "type": 2}},
            {"rule_identifier": "CPIStall", "rule_message": {"message": "Stalled.", "type": 3},
             "speedup_estimation": {"type": 2, "speedup": 27.25}},
            {"rule_identifier": "Broken", "rule_message": {"message": "no metrics", "type": 4}},
        )

class Range:
    def num_actions(self): return 2
    def action_by_idx(self, at): return Action(("copy", "reduce")[at])

class Report:
    def num_ranges(self): return 1
    def range_by_idx(self, at): return Range()

def load_report(path):
    with open(path, "rb") as file:
        if file.read() != b"NVR\\0whole":
            raise RuntimeError("cannot parse")
    return Report()
"""
TOOL = """\
#!/bin/sh
test "$LC_ALL" = C || exit 3
case "$*" in
*"--csv --page raw --print-units base") /bin/cat <<'PAGE'
{raw}
PAGE
;;
*"--csv --page details --print-units base") /bin/cat <<'PAGE'
{details}
PAGE
;;
*) exit 4
esac
exit {code}
"""
RAW = """\
==PROF== nothing of interest
"ID","Process ID","Kernel Name","Block Size","Grid Size","Device","CC","gpu__time_duration.sum"
"","","","","","","","ns"
"0","1","copy(float*)","(256, 1, 1)","(9, 1, 1)","0","9.0","31424.00"
"""
DETAILS = """\
"ID","Kernel Name","Section Name","Metric Name","Metric Value","Rule Name","Rule Type","Rule Description"
"0","copy(float*)","Speed","Duration","31424",""
"0","copy(float*)","SpeedOfLight","","","SOLBottleneck","OPT","Memory is busier."
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "run.ncu-rep"
    path.write_bytes(b"NVR\0whole")
    return path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine with neither the package nor the tool; gives the folder that is its PATH."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("KBGEN_NCU", raising=False)
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    return tmp_path / "bin"


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "ncu_report.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.delitem(sys.modules, "ncu_report", raising=False)


def tool(folder: Path, raw: str, code: int = 0) -> None:
    path = folder / "ncu"
    path.write_text(TOOL.format(raw=raw, details=DETAILS, code=code), encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.usefixtures("package")
def test_the_package_gives_numbers_units_and_rules(report: Path) -> None:
    first, second = read_profile(report).launches
    assert (first.kernel, second.kernel) == ("copy(float*)", "reduce(float*)")
    assert (first.arch, first.device_name, first.grid_blocks) == ("sm_90", "NVIDIA H200", (8192, 1, 1))
    assert {key: reading.value for key, reading in first.readings.items()} == {
        "duration": 31424,
        "dram_bytes_s": 3497588594704.6846,
        "grid": 8192,
        "cycles_per_issue": 34.5,
        "stall_barrier": pytest.approx(0.2),
    }
    bottleneck, stall = first.remarks
    assert bottleneck.text == (
        "Look at the Memory Workload Analysis section, see the Guide (https://docs.example/x)."
    )
    assert (stall.rule, stall.kind, stall.speedup_pct, stall.speedup_scope) == (
        "CPIStall",
        "WRN",
        27.25,
        "global",
    )


@pytest.mark.usefixtures("package")
def test_a_metric_in_a_strange_unit_is_left_out_with_a_note(report: Path) -> None:
    assert (
        "sm__cycles_active.max is in a unit that kbgen does not know for it (furlong)"
        in read_profile(report).notes[0]
    )


@pytest.mark.usefixtures("package")
def test_a_damaged_report_is_one_sentence(report: Path) -> None:
    report.write_bytes(b"NVR\0half")
    with pytest.raises(UnreadableProfileError, match=r"cannot be read by ncu_report \(cannot parse\)"):
        read_profile(report)


def test_without_the_package_the_tool_exports_it(report: Path, alone: Path) -> None:
    tool(alone, RAW)
    (launch,) = read_profile(report).launches
    assert launch.value("duration") == 31424
    assert launch.arch == "sm_90"
    assert [remark.text for remark in launch.remarks] == ["Memory is busier."]


def test_what_the_tool_says_of_a_failure_is_told(report: Path, alone: Path) -> None:
    tool(alone, "==ERROR== The report was made by a newer version", code=1)
    with pytest.raises(
        UnreadableProfileError, match="ncu said: ==ERROR== The report was made by a newer version"
    ):
        read_profile(report)
    tool(alone, "==WARNING== No kernels were profiled.")
    with pytest.raises(UnreadableProfileError, match=r"run\.ncu-rep, page raw\.csv holds no launch"):
        read_profile(report)


@pytest.mark.usefixtures("alone")
def test_without_both_the_sentence_names_both_and_the_export(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_NCU", "/nowhere/ncu")
    with pytest.raises(UnreadableProfileError) as caught:
        read_profile(report)
    assert "pip install ncu-report" in str(caught.value)
    assert "ncu --import run.ncu-rep --csv --page raw --print-units base > raw.csv" in str(caught.value)


def test_reports_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    assert ncu_rep.recognises(tmp_path / "anything", "NVR\x00...")
    assert ncu_rep.recognises(tmp_path / "old.nsight-cuprof-report", "\x01\x00")
    assert not ncu_rep.recognises(tmp_path / "page.ncu-rep", '"ID","Process ID"')


@pytest.mark.skipif(
    "KBGEN_NCU_REPORT" not in os.environ, reason="KBGEN_NCU_REPORT names no report to compare"
)
def test_a_real_report_reads_like_its_own_raw_page() -> None:
    """KBGEN_NCU_REPORT=run.ncu-rep with run.csv, its raw page, beside it; needs the ncu_report package. Names
    differ: the package gives the whole demangled one, the page leaves namespaces out."""
    path = Path(os.environ["KBGEN_NCU_REPORT"])
    report, page = read_profile(path), read_profile(path.with_suffix(".csv"))
    for ours, theirs in zip(report.launches, page.launches, strict=True):
        assert (ours.arch, ours.grid_blocks) == (theirs.arch, theirs.grid_blocks)
        assert ours.readings.keys() == theirs.readings.keys()
        for key, reading in ours.readings.items():
            assert reading.value == pytest.approx(theirs.readings[key].value, rel=6e-3, abs=5e-3), key
