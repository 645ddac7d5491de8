"""The second half of a row on a simulated card: what the clock says, what is missing, what proves wrong."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.report import json_report
from kbgen.generator.suite import timing
from kbgen.generator.suite.row import UNCONFIRMED, Row
from kbgen.generator.suite.timing import Timing, clock, confirm
from kbgen.generator.verify.verdict import Failed, Passed, Verdict
from kbgen.profiling.device import Device, detect
from kbgen.profiling.sandbox import Limits, Outcome
from kbgen.profiling.session import Plan, Subject, measure
from kbgen.profiling.simulated import SimulatedClock

OP = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 1.5
def get_inputs():
    return [torch.randn(48, 80)]
def get_init_inputs():
    return []
"""
PASSED = Passed()
ROW = Row("scale", "h100", "unmeasured", 1.0, "", "l", verified=True, kernel="scale_optimized.py")


class Pretended:
    """A card that takes `times` microseconds; a subject without a time fails with its error."""

    def __init__(self, **times: float | str) -> None:
        self.times, self.asked, self.limits, self.cards = times, list[dict[str, Any]](), Limits(), list[str]()

    def run_child(
        self, module: str, asked: dict[str, Any], *, scratch: Path, limits: Limits, env: dict[str, str]
    ) -> Outcome:
        assert module == "kbgen.generator.benchmark_child"
        assert env == {"TORCHINDUCTOR_COMPILE_THREADS": "8"}
        self.asked.append(asked)
        self.limits = limits
        self.cards.append(os.environ["CUDA_VISIBLE_DEVICES"])
        if "crash" in self.times:
            return Outcome("timeout", None, "", 180.0, str(self.times["crash"]), ())
        card = SimulatedClock(seed=7, noise=0.02)
        subjects = [
            Subject(name, lambda seed: (), card.kernel(us) if isinstance(us, float) else failing(us))
            for name, us in self.times.items()
        ]
        session = measure(subjects, card, Plan(), 7)
        session = replace(session, environment={"turns_on_the_card": bool(asked["turn"])})
        return Outcome("ok", session.to_json(), "", 1.0, "", ())


def failing(error: str) -> Any:
    def call() -> None:
        raise RuntimeError(error)

    return call


def clocked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, card: Pretended, again: Verdict = PASSED
) -> tuple[Row, list[tuple[str, ...]]]:
    judged: list[tuple[str, ...]] = []

    def verify(*_: Any, allowed_calls: tuple[str, ...], **__: Any) -> Verdict:
        judged.append(allowed_calls)
        return again

    def live(asked: str) -> Device:
        return replace(detect("h100"), live=True)

    monkeypatch.setattr(timing, "detect", live)
    monkeypatch.setattr(timing, "run_child", card.run_child)
    monkeypatch.setattr(timing, "verify", verify)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    (folder / "scale.py").write_text(OP)
    (folder / "scale_optimized.py").write_text("class ModelNew: ...")
    document = {"verdict": {"labels": []}, "allowed_calls": ["torch.relu"]}
    json_report.write(folder / "report.json", "optimize", document)
    task = Timing(folder / "scale.py", ROW, folder, "GPU-simulated", 2)
    row = clock(task)
    return confirm(replace(task, row=row)) if row.status == UNCONFIRMED else row, judged


def test_a_win_is_judged_again_and_its_figures_are_the_row_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = Pretended(eager=300.0, compile=200.0, candidate=100.0)
    row, judged = clocked(tmp_path, monkeypatch, card)
    assert (row.status, row.verified, row.processes, row.card) == ("win", True, 2, "GPU-simulated")
    assert row.measured_us == pytest.approx(100.0, rel=0.05)
    assert row.speedup == pytest.approx(2.0, rel=0.05)
    assert row.fastest == "compile"
    assert row.turns_on_the_card is True
    assert judged == [("torch.relu",)]
    assert card.cards == ["GPU-simulated"] * 2
    assert [asked["compile_s"] for asked in card.asked] == [150.0] * 2
    assert card.limits.wall_s == 400.0
    assert {asked["turn"] for asked in card.asked} == {str(tmp_path / "kbgen-cards" / "GPU-simulated.lock")}
    assert json.loads((tmp_path / "benchmark.json").read_text())["label"] == "win"


def test_a_baseline_that_was_not_ready_is_told_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "compile-max-autotune was not ready after 60 s"
    card = Pretended(**{"eager": 300.0, "compile-max-autotune": said, "candidate": 400.0})
    row, judged = clocked(tmp_path, monkeypatch, card)
    assert (row.status, row.verified, judged) == ("no-win", True, [])
    assert list(row.speedups) == ["eager"]
    assert said in row.missing["compile-max-autotune"]


def test_what_fails_when_it_is_timed_was_not_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row, judged = clocked(tmp_path, monkeypatch, Pretended(eager=300.0, candidate="illegal address"))
    assert (row.status, row.verified, judged) == ("inconclusive", False, [])
    assert "illegal address" in row.contradicted
    assert (row.measured_us, row.speedups) == (None, {})


def test_a_card_that_is_full_says_nothing_against_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = Pretended(eager=300.0, candidate="OutOfMemoryError: CUDA out of memory")
    row, judged = clocked(tmp_path, monkeypatch, card)
    assert (row.status, row.verified, row.contradicted, judged) == ("inconclusive", True, "", [])
    assert (row.measured_us, "out of memory" in row.reason) == (None, True)


def test_a_timing_that_ran_out_of_time_says_nothing_against_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, _ = clocked(tmp_path, monkeypatch, Pretended(crash="it ran past its limit of 180 s"))
    assert (row.status, row.verified, row.contradicted) == ("inconclusive", True, "")
    assert "180 s" in row.reason
    assert not row.timed  # a later run times it again


def test_a_win_that_does_not_pass_twice_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Failed(cause="race", detail="two writers")
    row, _ = clocked(tmp_path, monkeypatch, Pretended(eager=300.0, candidate=100.0), failed)
    assert (row.status, row.verified) == ("inconclusive", False)
    assert row.contradicted == "race: two writers"


def test_a_second_judgement_that_ran_out_of_time_says_nothing_against_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Failed(cause="timeout", detail="it used more than its limit of 90 s of CPU time")
    row, _ = clocked(tmp_path, monkeypatch, Pretended(eager=300.0, candidate=100.0), late)
    assert (row.status, row.verified, row.contradicted) == ("inconclusive", True, "")
    assert "90 s" in row.reason
