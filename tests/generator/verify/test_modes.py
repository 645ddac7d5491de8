"""Which of a module's two modes is judged, and what the verdict says of it."""

from pathlib import Path

import pytest

from kbgen.generator.verify.comparison.review import Reviewed
from kbgen.generator.verify.inputs.setting import Case
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.modes import asks_its_mode, in_the_other_mode, mode_note, other_modes
from kbgen.generator.verify.stages.settings import settings
from kbgen.generator.verify.verdict import CaseResult
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"


def test_a_file_that_reads_training_asks_its_mode() -> None:
    assert asks_its_mode("if self.bn.training:\n    pass")
    assert not asks_its_mode("training = True\nself.train()")


def test_the_other_mode_is_judged_at_two_shapes() -> None:
    found = settings(load_op(OPS / "batchnorm.py"), "as-is", 3)
    cases = in_the_other_mode(found, 3)
    assert [case.step.shape for case in cases] == [0, 1]
    assert all(case.step.flipped and not case.step.optional for case in cases)
    assert all(case.name.endswith("while evaluating") for case in cases)
    assert not any(case.setting.reference.model.training for case in cases)
    assert found[0].reference.model.training


def noted(cases: list[Case], outcome: str) -> list[str]:
    reviewed = [Reviewed(CaseResult(case.name, outcome)) for case in cases]  # type: ignore[arg-type]
    return mode_note(cases, reviewed)


@pytest.mark.parametrize("asks", ["self.training", ""])
def test_modes_that_differ_are_judged_whoever_asks_and_noted(asks: str) -> None:
    found = settings(load_op(OPS / "batchnorm.py"), "as-is", 3)
    planned = plan(found, 3)
    other = other_modes(found, planned, 3, asks)
    assert [case.step.shape for case in other] == [0, 1]
    assert noted(planned + other, "passed") == ["judged while training and while evaluating"]
    assert "the candidate refuses" in noted(planned + other, "guarded")[0]
    assert "no one answer" in noted(planned, "passed")[0]


def test_where_modes_agree_whoever_may_refuse_one_is_called_late_in_its_own() -> None:
    found = settings(load_op(OPS / "relu.py"), "as-is", 3)
    planned = plan(found, 3)
    assert other_modes(found, planned, 3, "x.relu()") == []
    assert noted(planned, "passed") == []
    (late,) = other_modes(found, planned, 3, "self.training")
    assert late.step.late
    assert late.step.moved
    assert not late.step.flipped
    assert late.name.endswith("moved, while training")


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_a_mode_that_draws_random_numbers_is_not_judged(mode: str) -> None:
    found = settings(load_op(OPS / "dropout.py"), mode, 3)
    assert bool(in_the_other_mode(found, 3)) is (mode == "train")
