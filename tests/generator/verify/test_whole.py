"""What counts against a candidate over all of its calls."""

from dataclasses import replace
from pathlib import Path

import torch
from torch import nn

from kbgen.generator.verify.comparison.review import Reviewed
from kbgen.generator.verify.inputs.families import ONE_NAN
from kbgen.generator.verify.inputs.setting import Case, Setting
from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.process.exchange import Step, StepReport
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.whole import unwritten_read
from kbgen.generator.verify.verdict import CaseOutcome, CaseResult, Fault
from kbgen.profiling.op import load_op

TESTS = Path(__file__).parents[2]

UNWRITTEN = (("unwritten", "kernel: program 0 reads out_ptr[0], which nobody has written"),)


def test_memory_that_nobody_has_written_counts_where_there_is_a_result() -> None:
    def found(status: str, outcome: CaseOutcome = "passed", family: str = "normal") -> Fault | None:
        x = torch.ones(3)
        setting = Setting("small", None, Reference(nn.Identity(), "as-is"), (), {}, [x], [x], {}, 0)  # type: ignore[arg-type]
        usual = Case("small, normal", setting, "normal", Step(0, "contiguous", [x], {}), [x], [x])
        reviewed = [Reviewed(CaseResult("usual", "passed")), Reviewed(CaseResult(family, outcome))]
        reports = [StepReport("ok"), StepReport(status, violations=UNWRITTEN)]
        return unwritten_read([usual, replace(usual, family=family)], reviewed, reports)

    fault = found("ok")
    assert fault is not None
    assert fault.cause == "unwritten-read"
    assert found("raised") is None
    assert found("ok", "dropped") == found("ok", "passed", ONE_NAN) == fault
    assert found("ok", "dropped", ONE_NAN) is None


def test_a_family_that_is_right_where_sizes_are_odd_and_wrong_at_a_large_one_tells_of_the_size(
    tmp_path: Path,
) -> None:
    candidate, op = (
        TESTS / "cheats" / "mean_of_some_rows.py",
        load_op(TESTS / "generator/verify/ops/mean_square.py"),
    )
    verdict = verify(candidate, op, None, scratch=tmp_path, seed=3, precision="bf16")
    assert verdict.cause == "hard-coded-shape"
    assert "wide, spikes" in verdict.detail


def test_what_wins_behind_where_other_shapes_end_tells_of_the_size(tmp_path: Path) -> None:
    candidate = TESTS / "cheats" / "hamming_nearest_tenbits.py"
    op = load_op(TESTS / "generator/verify/ops/hamming_nearest.py")
    verdict = verify(candidate, op, None, scratch=tmp_path, seed=3)
    assert verdict.cause == "hard-coded-shape"
    assert "won by the last" in verdict.detail
