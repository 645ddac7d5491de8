"""A judgement ends with the call that decides it, and only the judge may end one."""

from pathlib import Path
from typing import Any

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.stages import answering
from kbgen.generator.verify.stages.early import end_calls
from kbgen.generator.verify.verdict import Verdict
from kbgen.profiling.op import load_op

TESTS = Path(__file__).parents[2]
ADD = TESTS / "honest" / "add_flat.py"


def judged(candidate: Path, op: str, scratch: Path) -> Verdict:
    return verify(candidate, load_op(Path(__file__).parent / "ops" / f"{op}.py"), None, scratch=scratch)


def test_calls_after_the_one_that_decides_are_not_made(tmp_path: Path) -> None:
    verdict = judged(TESTS / "cheats" / "zeros.py", "softmax", tmp_path)
    assert verdict.cause == "zeros"
    assert verdict.cases[0].outcome == "failed"
    assert any("calls were left out: the cause was known" in note for note in verdict.notes)


def test_a_process_that_ends_its_calls_itself_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def forged(scratch: Path, *_: Any) -> None:
        end_calls(scratch)

    monkeypatch.setattr(answering, "cause_known", forged)
    verdict = judged(ADD, "add", tmp_path)
    assert verdict.cause == "tampering"
    assert "before all calls" in verdict.detail


def test_a_fault_that_is_gone_at_the_end_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(answering, "cause_known", lambda *_: 1)
    assert judged(ADD, "add", tmp_path).cause == "tampering"
