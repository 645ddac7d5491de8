"""What calls take is counted: the same in two judgements of one candidate, whatever the clock says."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.verify import judge, judgement
from kbgen.generator.verify.interpreter.effort import Effort
from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.verdict import Passed
from kbgen.profiling.op import load_op

TESTS = Path(__file__).parents[2]


def efforts(folder: Path, patched: pytest.MonkeyPatch) -> list[float]:
    """What each call of a judgement of one right kernel took."""
    found: list[StepReport] = []
    read = judgement.read_report

    def noted(document: Mapping[str, Any]) -> StepReport:
        found.append(read(document))
        return found[-1]

    with patched.context() as patch:
        patch.setattr(judgement, "read_report", noted)
        op = load_op(Path(__file__).parent / "ops" / "gelu.py")
        candidate = TESTS / "honest" / "gelu_flat.py"
        assert isinstance(judge.verify(candidate, op, None, scratch=folder), Passed)
    return [report.effort_s for report in found]


def test_two_judgements_take_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = efforts(tmp_path / "first", monkeypatch)
    assert len(first) > 20
    assert min(first) > 0
    second = efforts(tmp_path / "second", monkeypatch)
    assert second[1:] == pytest.approx(first[1:])  # the first loads what the others use


def test_what_is_not_counted_counts_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    effort = Effort()
    effort.begin()
    effort.programs += 1000
    counted = effort.seconds()
    now[0] += 2 * counted
    assert effort.seconds() == counted
    now[0] += 8 * counted
    assert effort.seconds() > 2 * counted
