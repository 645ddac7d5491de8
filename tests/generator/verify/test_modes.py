"""Which of a module's two modes is judged, and what the verdict says of it."""

from pathlib import Path

import pytest

from kbgen.generator.verify.cases import settings
from kbgen.generator.verify.modes import asks_its_mode, in_the_other_mode, mode_note
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
    assert mode_note(found[0], True) == "judged while training and while evaluating"
    assert "while training alone" in mode_note(found[0], False)


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_a_mode_that_draws_random_numbers_is_not_judged(mode: str) -> None:
    found = settings(load_op(OPS / "dropout.py"), mode, 3)
    assert bool(in_the_other_mode(found, 3)) is (mode == "train")
