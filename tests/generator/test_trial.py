"""`kbgen bench` asks the judge first: what it refuses is not timed, and nothing undecided wins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.trial import Trial, trial
from kbgen.generator.verify.verdict import Failed, Inconclusive, Passed
from kbgen.profiling.device import detect
from kbgen.profiling.op import load_op
from kbgen.profiling.probe import ClockState, LiveFacts
from kbgen.profiling.sandbox import Outcome
from kbgen.profiling.session import Plan, Subject, measure
from kbgen.profiling.simulated import SimulatedClock
from kbgen.profiling.trace import trace

OP = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return {result}
def get_inputs():
    return [torch.randn(48, 80)]
"""
KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, x * {factor}, mask=mask)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), BLOCK=256)
        return out
"""


class NoCard:
    def facts(self) -> LiveFacts | None:
        return None

    def clocks(self) -> ClockState | None:
        return None


def tried(tmp_path: Path, result: str, factor: str) -> tuple[Trial, list[str]]:
    (tmp_path / "op.py").write_text(OP.format(result=result))
    (tmp_path / "new.py").write_text(KERNEL.format(factor=factor))
    timed: list[str] = []

    def run(asked: dict[str, Any], scratch: Path) -> Outcome:
        timed.append(scratch.name)
        card = SimulatedClock(seed=asked["seed"], noise=0.02)
        subjects = [
            Subject(name, lambda seed: (), card.kernel(us))
            for name, us in {"eager": 300.0, "candidate": 100.0}.items()
        ]
        return Outcome("ok", measure(subjects, card, Plan(), asked["seed"]).to_json(), "", 1.0, "", ())

    op = load_op(tmp_path / "op.py")
    device = replace(detect("h100", NoCard()), live=True)
    return trial(tmp_path / "new.py", op, device, trace(op), scratch=tmp_path / "scratch", run=run), timed


def test_a_right_kernel_is_judged_and_timed(tmp_path: Path) -> None:
    found, timed = tried(tmp_path, "x * 1.5", "1.5")
    assert isinstance(found.verdict, Passed)
    assert (found.benchmark.label, len(timed)) == ("win", 3)
    assert found.to_json()["verdict"]["cause"] == found.verdict.to_json()["cause"]


def test_a_wrong_kernel_is_not_timed(tmp_path: Path) -> None:
    found, timed = tried(tmp_path, "x * 1.5", "1.25")
    assert isinstance(found.verdict, Failed)
    assert (found.benchmark.label, timed) == ("failed", [])
    assert "not timed, since the judge refuses it" in found.benchmark.reason


def test_what_the_judge_cannot_decide_does_not_win(tmp_path: Path) -> None:
    found, timed = tried(tmp_path, "x * 0.0", "0.0")
    assert isinstance(found.verdict, Inconclusive)
    assert (found.benchmark.label, len(timed)) == ("inconclusive", 3)


def test_nothing_is_judged_for_a_card_that_is_not_here(tmp_path: Path) -> None:
    (tmp_path / "op.py").write_text(OP.format(result="x"))
    op = load_op(tmp_path / "op.py")
    with pytest.raises(Exception, match="nothing can be timed on H100"):
        trial(tmp_path / "no.py", op, detect("h100", NoCard()), trace(op), scratch=tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()
