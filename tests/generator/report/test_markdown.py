"""report.md reads the same every time, states the claim first, and has no empty section."""

from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.report import markdown
from kbgen.generator.report.headline import CLAIMS, headline
from kbgen.generator.report.pipes import table

GOLDEN = Path(__file__).parents[2] / "golden" / "report" / "unmeasured.md.expected"


def test_the_report_is_the_expected_text(result: dict[str, Any]) -> None:
    assert markdown.render(result) == GOLDEN.read_text(encoding="utf-8")


def test_sections_without_content_are_left_out(result: dict[str, Any]) -> None:
    empty = {key: [] for key in ("kernels", "steps", "choices", "limits", "diagnosis", "declined")}
    result |= {**empty, "status": "declined", "verdict": None}
    headings = [line for line in markdown.render(result).splitlines() if line.startswith("#")]
    assert headings == ["# madeup_norm for nvidia-h100-sxm5: declined", "## Reproduce"]


def test_a_cell_cannot_break_its_table() -> None:
    assert table(["a"], [["x | y\nz"]]).splitlines()[-1] == "| x \\| y z |"


def test_measured_timings_are_a_table(result: dict[str, Any]) -> None:
    result["baselines"] = {"eager": {"subject": "eager", "median_us": 12.5, "kernels": ["not shown"]}}
    text = markdown.render(result)
    assert "## Timing" in text
    assert "| subject | median_us |\n| --- | --- |\n| eager | 12.5 |\n" in text


@pytest.mark.parametrize("status", sorted(set(CLAIMS) - {"win"}))
def test_only_a_win_speaks_of_a_gain(result: dict[str, Any], status: str) -> None:
    assert "x against" not in headline(result | {"status": status})


def test_a_win_names_its_gain_and_its_device(result: dict[str, Any]) -> None:
    sentence = headline(result | {"status": "win", "speedup": 1.5, "reason": "Three processes agree."})
    assert sentence.startswith("1.50x against the fastest baseline on nvidia-h100-sxm5")
    assert sentence.endswith("Three processes agree.")


def test_a_reason_follows_the_claim_as_a_sentence(result: dict[str, Any]) -> None:
    sentence = headline(result | {"status": "declined", "reason": "no candidate passed"})
    assert sentence == "No kernel is handed over for this op. No candidate passed."


def test_an_accepted_step_says_what_it_moved(result: dict[str, Any]) -> None:
    figures = [
        {"name": "registers", "unit": "a thread", "before": 40.0, "after": 128.0},
        {"name": "estimated time", "unit": "us", "before": 10.0, "after": None},
    ]
    moved = {"level": "D", "was": "lg_throttle", "now": "", "figures": figures}
    result["steps"][0]["moved"] = moved
    text = markdown.render(result)
    assert "## What the accepted steps moved" in text
    told = "registers 40 -> 128 a thread; estimated time 10 -> - us"
    assert f"| `vectorise` | lg_throttle -> nothing | {told} | D |" in text


def test_timings_tell_the_first_call_and_the_memory_where_they_are_known(result: dict[str, Any]) -> None:
    eager = {"subject": "eager", "median_us": 12.5, "first_call_us": 2.5e6, "peak_bytes": 3 << 20}
    result["baselines"] = {"eager": eager, "compile": {"subject": "compile", "median_us": 9.0}}
    text = markdown.render(result)
    assert "| subject | median_us | first call | peak memory |" in text
    assert "| eager | 12.5 | 2.50 s | 3.0 MiB |" in text
    assert "| compile | 9 | - | - |" in text
