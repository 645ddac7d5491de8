"""What a person sees: the claim, data untouched by markup, nothing on standard error."""

from typing import Any

import pytest

from kbgen.generator.report import terminal
from kbgen.generator.report.progress import progress

Capture = pytest.CaptureFixture[str]


def shown(capsys: Capture, command: str, document: dict[str, Any]) -> str:
    terminal.show(command, document)
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_optimize_begins_with_the_claim(capsys: Capture, result: dict[str, Any]) -> None:
    out = shown(capsys, "optimize", result)
    assert out.startswith("madeup_norm: verified, not timed.")
    for part in ("madeup_rows", "75 % (registers)", "1.88x", "kbgen-out/report.md"):
        assert part in out


def test_verify_shows_cases_and_controls(capsys: Capture, result: dict[str, Any]) -> None:
    out = shown(capsys, "verify", result["verdict"])
    assert out.startswith("passed\n")
    assert "A made-up note." in out
    assert "constant  rejected" in out


def test_a_failed_verdict_gives_its_cause(capsys: Capture, result: dict[str, Any]) -> None:
    failed = result["verdict"] | {"verdict": "failed", "cause": "race", "detail": "two programs store x[0]"}
    assert shown(capsys, "verify", failed).startswith("failed race: two programs store x[0]\n")


def test_advise_cites(capsys: Capture) -> None:
    step = {
        "technique": "wide-loads",
        "why": "loads are [32] bit",
        "citations": [{"title": "A made-up guide", "section": "2", "version": "1"}],
        "outcomes": [],
    }
    bottleneck = {"class": "uncoalesced", "confidence": 0.5, "evidence": "widths"}
    kernels = [{"name": "k[0]", "bottlenecks": [bottleneck], "advice": [step]}]
    out = shown(capsys, "advise", {"level": "static", "kernels": kernels})
    assert "k[0], level of evidence: static" in out
    assert "1. wide-loads\n   why: loads are [32] bit" in out
    assert "- A made-up guide, 2 (1)" in out


SEARCHED = {"note": "", "asked_as": "words", "query": "anything"}


def test_an_empty_search_says_what_to_do(capsys: Capture) -> None:
    assert "try other words" in shown(capsys, "search", {**SEARCHED, "results": []})


def test_square_brackets_in_data_are_not_markup(capsys: Capture) -> None:
    hit = {
        "id": "x", "title": "a[red]b", "text": "t[/]", "score": 0.5, "section": "s", "version": "v",
        "why": "words", "flags": ["odd[b]"],
    }  # fmt: skip
    out = shown(capsys, "search", {**SEARCHED, "results": [hit]})
    assert "a[red]b" in out
    assert "t[/]" in out


def test_doctor_shows_the_cure(capsys: Capture) -> None:
    check = {"name": "triton", "status": "missing", "found": "not installed", "cure": "pip install triton"}
    assert "pip install triton" in shown(capsys, "doctor", {"checks": [check]})


def test_a_suite_shows_a_row_per_op_its_reasons_and_its_totals(capsys: Capture) -> None:
    row = {
        "op": "madeup",
        "gpu": "h100",
        "status": "declined",
        "reason": "nothing to do",
        "traffic_ratio": None,
    }
    out = shown(capsys, "eval-suite", {"rows": [row], "total": {"rows": 1, "verified": 0}, "seconds": 1.5})
    assert "madeup on h100: nothing to do" in out
    assert "est/bound" in out
    assert "verified  0" in out


def test_bench_names_what_did_not_run(capsys: Capture) -> None:
    timing = {
        "subject": "eager",
        "median_us": 12.5,
        "interval_us": [12.0, 13.0],
        "host_us": 20.0,
        "samples": 100,
    }
    document = {
        "label": "no-win",
        "reason": "made up",
        "timings": {"eager": timing},
        "failures": {"compile": "no gcc"},
    }
    out = shown(capsys, "bench", document)
    assert out.startswith("no-win made up\n")
    assert "12.5       12, 13" in out
    assert "compile did not run: no gcc" in out


def test_profile_of_an_op_states_its_level_of_evidence(capsys: Capture) -> None:
    document = {
        "op": "madeup",
        "family": "norm",
        "device": "amd-mi300x",
        "flops": 1000,
        "bytes_min": 2048,
        "kernels": [],
        "rejections": ["madeup_rows spills 8 bytes"],
        "bottlenecks": [],
        "roofline": {"bound": "memory", "attainable_us": 0.5},
        "level": "D",
        "undecided": ["spills"],
    }
    out = shown(capsys, "profile", document)
    assert out.startswith("madeup (norm) on amd-mi300x: 1,000 flop, at least 2.0 KiB moved\n")
    assert "rejected: madeup_rows spills 8 bytes" in out
    assert "memory-bound, at least 0.5 us by the device's peaks (an estimate)" in out


def test_a_document_without_a_view_is_shown_as_facts_and_tables(capsys: Capture) -> None:
    out = shown(capsys, "other", {"count": 1200, "rows": [{"a": 1, "b": None}, {"a": 2, "b": None}]})
    assert "count  1,200" in out
    assert "b" not in out


class Stage:
    stage = "verify"
    detail = "candidate [1] of 3"


def test_progress_goes_to_standard_error_without_control_codes(capsys: Capture) -> None:
    with progress() as say:
        say(Stage())
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("verify    candidate [1] of 3\n")
    assert "\x1b" not in err


def test_quiet_progress_says_nothing(capsys: Capture) -> None:
    with progress(quiet=True) as say:
        say(Stage())
    assert capsys.readouterr() == ("", "")


COMPARED = {
    "key": "dram_copy_gb_s", "measured": 3900.0, "unit": "GB/s", "peak": 4800.0, "share": 0.8125,
    "usual": 0.9, "warning": "the copy reaches less than such cards do",
}  # fmt: skip


def test_devices_show_the_card_beside_its_sheet_and_what_is_odd(capsys: Capture) -> None:
    line = {"what": "memory", "live": 139.0, "table": 141.0, "unit": "GB", "remark": "1 % less"}
    card = {
        "live_name": "NVIDIA [H200]", "driver": "580", "used": "nvidia-h200-sxm", "lines": [line],
        "compared": [COMPARED], "warnings": ["clocks are locked"],
    }  # fmt: skip
    out = shown(capsys, "devices", {"devices": [card], "reason": ""})
    for part in ("NVIDIA [H200] (nvidia-h200-sxm), driver 580", "1 % less", "81 %", "clocks are locked"):
        assert part in out
    assert "less than such cards do" in out
    assert "No card here: none" in shown(capsys, "devices", {"devices": [], "reason": "none"})


def test_calibration_shows_each_ceiling_beside_its_peak(capsys: Capture) -> None:
    document = {
        "label": "measured today",
        "seconds": 41.2,
        "compared": [COMPARED],
        "notes": ["fp8: left out"],
    }
    out = shown(capsys, "calibrate", document)
    assert out.startswith("measured today, in 41 s\n")
    assert "4,800" in out
    assert "note: fp8: left out" in out


def test_a_counted_command_shows_its_kernels_and_no_graph(capsys: Capture) -> None:
    kernel = {
        "name": "void k<float>(int)", "launches": 3, "share": 0.5, "time_us": 12.0,
        "bottlenecks": [{"class": "barrier", "confidence": "high", "evidence": "..."}],
    }  # fmt: skip
    document = {
        "op": "python [x].py", "counters": {"launches": [1, 2, 3]}, "counted": [kernel],
        "notes": ["cold clocks"], "bottlenecks": kernel["bottlenecks"], "roofline": None, "level": "A",
        "undecided": [], "saved": "p.json",
    }  # fmt: skip
    out = shown(capsys, "profile", document)
    assert out.startswith("python [x].py: 3 launches counted\nnote: cold clocks\n")
    assert "k<...>" in out
    assert "barrier (high)" in out
    assert "next: kbgen advise p.json" in out


def test_a_refusal_of_counters_is_shown(capsys: Capture) -> None:
    document = {
        "op": "x", "family": "norm", "device": "h", "flops": 1, "bytes_min": 1, "bottlenecks": [],
        "roofline": None, "level": "D", "undecided": [], "counters_refused": "no counters: run as root",
    }  # fmt: skip
    assert "note: no counters: run as root" in shown(capsys, "profile", document)


def test_many_kernels_are_a_table_and_the_longest_are_told(capsys: Capture) -> None:
    kernels: list[dict[str, Any]] = [
        {"name": f"kernel_{n}", "bottlenecks": [], "advice": [], "launches": 2, "share": 0.1, "time_us": 5.0,
         "median_us": 2.5, "worst_us": 3.0, "library": "cuBLAS" if n else None}
        for n in range(7)
    ]  # fmt: skip
    out = shown(
        capsys, "advise", {"level": "A", "kernels": kernels, "notes": ["taken for T4"], "page": "a.html"}
    )
    assert out.startswith("note: taken for T4\n")
    assert "kernel_6" in out
    assert (
        "2. kernel_1, a kernel of cuBLAS: advice is for its call, 2 launches, median 2.5 us, worst 3.0 us"
        in out
    )
    assert "2 more kernels are not told here" in out
    assert out.endswith("page a.html\n")
