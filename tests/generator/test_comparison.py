"""A climb on a live card follows the clock: a step's gain is measured, and a faulty child goes no further."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.comparison import CHILD, PARENT, PLAN, CardClock, Gain, compare
from kbgen.generator.evaluated import Evaluated
from kbgen.generator.search import Climber
from kbgen.generator.writers.scripted import ScriptedWriter
from kbgen.generator.writers.writer import Candidate, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.device import detect
from kbgen.profiling.op import load_op
from kbgen.profiling.probe import ClockState, LiveFacts
from kbgen.profiling.roofline import Estimate
from kbgen.profiling.samples import Session
from kbgen.profiling.sandbox import Outcome
from kbgen.profiling.session import Plan, Subject, measure
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.static import StaticReport
from kbgen.profiling.trace import TracedOp, trace

OP = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.randn(64, 128)]
"""


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> TracedOp:
    path = tmp_path_factory.mktemp("op") / "op.py"
    path.write_text(OP)
    return trace(load_op(path))


class NoCard:
    """A machine without one."""

    def facts(self) -> LiveFacts | None:
        return None

    def clocks(self) -> ClockState | None:
        return None


def session(times: dict[str, float], seed: int, plan: Plan = PLAN) -> Session:
    card = SimulatedClock(seed=seed, noise=0.02)
    timed = [Subject(name, lambda seed: (), card.kernel(us, name=name)) for name, us in times.items()]
    return measure(timed, card, plan, seed)


def gain(traced: TracedOp, tmp_path: Path, change: Callable[[Session], Outcome]) -> Gain:
    """What `compare` makes of a process that timed 120 us beside 100 us."""

    def run(asked: dict[str, Any], scratch: Path) -> Outcome:
        assert list(asked["candidates"]) == [PARENT, CHILD]
        assert asked["baselines"] == []
        return change(session({PARENT: 120.0, CHILD: 100.0}, asked["seed"]))

    device = replace(detect("h100", NoCard()), live=True)
    return compare(tmp_path / "a.py", tmp_path / "b.py", traced.op, device, traced, scratch=tmp_path, run=run)


def done(taken: Session) -> Outcome:
    return Outcome("ok", taken.to_json(), "", 1.0, "", ())


def test_a_step_is_measured_with_its_interval(traced: TracedOp, tmp_path: Path) -> None:
    found = gain(traced, tmp_path, done)
    assert found.effect == pytest.approx(1.2, abs=0.02)
    assert found.interval is not None
    assert found.interval[0] < found.effect < found.interval[1]


def test_a_wrong_child_is_at_fault_and_a_lost_process_is_not(traced: TracedOp, tmp_path: Path) -> None:
    def wrong(taken: Session) -> Outcome:
        taken.samples[1].complaints.append("output 0 is off")
        return done(taken)

    assert gain(traced, tmp_path, wrong) == Gain(failure="output 0 is off", fault=True)
    lost = gain(traced, tmp_path, lambda taken: Outcome("timeout", None, "", 9.0, "it ran past 9 s", ()))
    assert (lost.effect, lost.fault) == (None, False)
    assert "it ran past 9 s" in lost.failure


def test_a_parent_that_fails_leaves_the_step_unmeasured(traced: TracedOp, tmp_path: Path) -> None:
    def failing(taken: Session) -> Outcome:
        taken.samples[0].error = "RuntimeError: gone"
        return done(taken)

    found = gain(traced, tmp_path, failing)
    assert (found.effect, found.fault) == (None, False)
    assert "RuntimeError: gone" in found.failure


def raced(
    traced: TracedOp, tmp_path: Path, taken: dict[str, float], **changed: Any
) -> tuple[list[Gain], list[list[str]]]:
    """A race of kernels whose times are known, and who ran in which process."""
    asked: list[list[str]] = []

    def run(wanted: dict[str, Any], scratch: Path) -> Outcome:
        files: dict[str, str] = wanted["candidates"]
        asked.append([Path(file).stem for file in files.values()])
        plan = Plan(**wanted["plan"])
        made = session({name: taken[Path(file).stem] for name, file in files.items()}, wanted["seed"], plan)
        return done(replace(made, **changed) if len(files) > 2 else made)

    device = replace(detect("h100", NoCard()), live=True)
    clock = CardClock(traced.op, device, traced, tmp_path, "fp32", run)
    parent, *children = (tmp_path / name / f"{name}.py" for name in taken)
    return clock.race(parent, children), asked


def test_a_short_race_leaves_the_slow_ones_out_of_the_full_timing(traced: TracedOp, tmp_path: Path) -> None:
    gains, asked = raced(traced, tmp_path, {"parent": 100.0, "slow": 150.0, "fast": 50.0, "even": 100.0})
    assert asked == [["parent", "slow", "fast", "even"], ["parent", "fast", "even"]]
    assert [gain.effect for gain in gains] == pytest.approx([0.667, 2.0, 1.0], rel=0.03)


def test_where_all_are_slow_nothing_is_timed_in_full(traced: TracedOp, tmp_path: Path) -> None:
    gains, asked = raced(traced, tmp_path, {"parent": 100.0, "slow": 150.0, "slower": 190.0})
    assert len(asked) == 1
    assert all(gain.interval is not None and gain.interval[1] < 1 for gain in gains)


def test_who_replaced_a_timer_is_found_one_by_one(traced: TracedOp, tmp_path: Path) -> None:
    gains, asked = raced(
        traced, tmp_path, {"parent": 100.0, "a": 50.0, "b": 80.0}, tampered=("torch.cuda.Event",)
    )
    assert asked == [["parent", "a", "b"], ["parent", "a"], ["parent", "b"]]
    assert [gain.fault for gain in gains] == [False, False]


# ---- the climb


class Estimated(Climber):
    """Every candidate's estimate stands in its source; nothing is compiled."""

    def evaluate(self, candidate: Candidate) -> Evaluated:
        total = float(candidate.source)
        static = StaticReport("sm_90", (), ())
        return Evaluated(candidate, Path(candidate.source), static, Estimate(0, 0, 0, 0, total))


def climb(
    traced: TracedOp, tmp_path: Path, sources: list[str], gains: dict[str, Gain], **known: Any
) -> Climber:
    writer = ScriptedWriter(sources, transforms=("one", "two"))
    request = Request(traced.op, traced, (), find_spec("h100"))
    climber = Estimated(
        writer, request, ("one", "two"), tmp_path, deadline=float("inf"), most=9, say=lambda text: None,
        measure=lambda parent, child: gains[f"{parent}->{child}"], **known,
    )  # fmt: skip
    climber.climb()
    return climber


def test_the_clock_overrules_the_estimate(traced: TracedOp, tmp_path: Path) -> None:
    gains = {"100->50": Gain(0.8, (0.79, 0.81)), "100->130": Gain(1.4, (1.38, 1.42))}
    found = climb(traced, tmp_path, ["100", "50", "130"], gains)
    assert [kept.candidate.source for kept in found.accepted] == ["100", "130"]
    assert [(step.outcome, step.evidence, step.effect) for step in found.tried] == [
        ("hurt", "measured", 0.8), ("helped", "measured", 1.4),
    ]  # fmt: skip


def test_noise_helps_nothing_and_a_faulty_child_is_rejected(traced: TracedOp, tmp_path: Path) -> None:
    gains = {"100->50": Gain(1.02, (0.99, 1.05)), "100->60": Gain(failure="output 0 is off", fault=True)}
    found = climb(traced, tmp_path, ["100", "50", "60"], gains)
    assert [kept.candidate.source for kept in found.accepted] == ["100"]
    assert [(step.outcome, step.evidence) for step in found.tried] == [
        ("neutral", "measured"), ("rejected", "estimated"),
    ]  # fmt: skip
    assert "output 0 is off" in found.tried[1].reason


def test_where_the_clock_gave_nothing_the_estimate_decides_and_says_so(
    traced: TracedOp, tmp_path: Path
) -> None:
    nothing = Gain(failure="timing it gave no result (timeout)")
    found = climb(traced, tmp_path, ["100", "50"], {"100->50": nothing})
    assert [kept.candidate.source for kept in found.accepted] == ["100", "50"]
    assert (found.tried[0].evidence, found.tried[0].effect) == ("estimated", 2.0)
    assert "timing it gave no result" in found.tried[0].reason


@pytest.mark.parametrize(("before", "kept"), [(1.2, ["100", "101"]), (1.0, ["100"]), (0.8, ["100"])])
def test_what_was_measured_here_before_decides_where_the_estimate_sees_nothing(
    traced: TracedOp, tmp_path: Path, before: float, kept: list[str]
) -> None:
    nothing = {"100->101": Gain(failure="not timed")}
    found = climb(traced, tmp_path, ["100", "101"], nothing, proven={"one": before})
    assert [one.candidate.source for one in found.accepted] == kept
