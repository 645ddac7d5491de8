"""Calls at full size itself, where an interpreter can make them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.verify.judge import CHILD_LIMITS, verify
from kbgen.generator.verify.process.exchange import OTHER_PROGRESS_FILE, StepReport, read_report
from kbgen.generator.verify.stages import apart, full_axes, full_values
from kbgen.generator.verify.stages.full_axes import AtFullAxes
from kbgen.generator.verify.stages.record import Record
from kbgen.generator.verify.verdict import Verdict
from kbgen.profiling.op import load_op

OP = """import torch
from torch import nn

ROWS, COLUMNS = 60, 36000


class Model(nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs():
    return []
"""

CANDIDATE = """import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def add_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes, mask=lanes < count, other=0.0)
    tl.store(out_ptr + lanes, x + 1 + ({wrong}), mask=lanes < count)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), 4096),)](x, out, x.numel(), BLOCK=4096)
        return out
"""


ONE = "(lanes == 2100003).to(tl.float32)"
"""An element that only full size has, wrong by itself: no size, grid or address tells of it."""


def judged(folder: Path, wrong: str) -> Verdict:
    op, candidate = folder / "op.py", folder / "candidate.py"
    op.write_text(OP)
    candidate.write_text(CANDIDATE.format(wrong=wrong))
    return verify(candidate, load_op(op), None, scratch=folder / "scratch")


def test_a_value_that_is_wrong_at_full_size_alone_is_seen(tmp_path: Path) -> None:
    verdict = judged(tmp_path, ONE)
    assert verdict.cause == "hard-coded-shape"
    assert "full size, normal" in verdict.detail


def test_what_is_right_there_says_that_it_was_judged_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[float] = []
    taken: list[float] = []

    def asked(record: Record, expected_s: float, *rest: Any) -> AtFullAxes | None:
        expected.append(expected_s)
        return full_values.full_values(record, expected_s, *rest)

    def read(document: Mapping[str, Any]) -> StepReport:
        report = read_report(document)
        taken.append(report.effort_s)
        return report

    monkeypatch.setattr(apart, "full_values", asked)
    monkeypatch.setattr(full_axes, "read_report", read)
    verdict = judged(tmp_path, "0")
    assert taken[-1] == pytest.approx(expected[0], rel=0.1)  # programs that were walked tell of those called
    assert verdict.word == "passed"
    assert dict(verdict.shapes["full size"]) == {}
    assert {case.name for case in verdict.cases} >= {"full size, normal", "full size, spikes"}


def test_calls_at_full_size_are_shared_by_two_instances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_values, "_FEW_BYTES", full_values._MOST_BYTES)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    verdict = judged(tmp_path, "0")
    sizes = [name for name in verdict.shapes if name.startswith("full size")]
    assert sizes == ["full size", "full size and one more", "full size, another instance"]
    made = [case for case in verdict.cases if case.name.startswith("full size")]
    assert {case.outcome for case in made} <= {"passed", "skipped"}
    assert (tmp_path / "scratch" / "full" / OTHER_PROGRESS_FILE).exists()


@pytest.mark.parametrize("limit", ["_LONGEST_S", "_MOST_BYTES"])
def test_what_is_too_large_or_takes_too_long_is_not_tried(
    tmp_path: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_values, limit, 0)
    verdict = judged(tmp_path, ONE)
    assert (verdict.word, "full size" in verdict.shapes) == ("passed", False)


def test_a_call_without_a_right_answer_leaves_full_size_open(tmp_path: Path) -> None:
    """Where the reference has no number at full size alone, nothing was met there."""
    op, candidate = tmp_path / "op.py", tmp_path / "candidate.py"
    op.write_text(OP.replace("return x + 1", "return x + (1 if x.numel() < 2000000 else torch.nan)"))
    candidate.write_text(CANDIDATE.format(wrong="0"))
    found = load_op(op)
    record = Record(candidate, candidate.read_text(), found, None, "fp32", "as-is", 1, (), CHILD_LIMITS)
    record.fields |= {"cases": (), "shapes": {}}
    assert full_values.full_values(record, 0.1, "fp32", tmp_path / "scratch", CHILD_LIMITS) is None
    assert [case.outcome for case in record.fields["cases"]][:1] == ["dropped"]
