"""How much may be wrong where little is left of a sum: no single draw of what inputs are off by tells."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.comparison.right import right_answer, shaken_more
from kbgen.generator.verify.inputs.setting import Case
from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.reference.measures import difference
from kbgen.generator.verify.stages.answers import Answers
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

MEANS = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x[0] / x.sum(0)


def get_inputs():
    return [torch.randn(5, 64)]
"""


@pytest.fixture
def usual(tmp_path: Path) -> Case:
    (tmp_path / "op.py").write_text(MEANS)
    return plan(settings(load_op(tmp_path / "op.py"), "as-is", 5), 5)[0]


def nearly_cancelling(case: Case, seed: int) -> Case:
    x = torch.randn(5, 64, generator=torch.Generator().manual_seed(seed))
    x[4] -= x.sum(0)
    x[4, 7] += 1e-4
    x[4, :7] += 1
    x[4, 8:] += 1
    return replace(case, step=replace(case.step, inputs=[x]), inputs=[x])


def test_further_draws_tell_what_one_does_not(usual: Case) -> None:
    once, more = [], []
    for seed in range(40):
        answer = right_answer(nearly_cancelling(usual, seed), {})
        for found, of in ((once, answer), (more, shaken_more(answer))):
            found.append(difference(of.shaken.outputs[0], of.oracle.outputs[0]).scaled_max)
    usually = sorted(more)[20]
    assert min(once) < usually / 20
    assert min(more) > usually / 6


def test_what_is_hardly_more_than_may_be_wrong_is_looked_at_again(usual: Case) -> None:
    """A kernel whose sum is off by two units in the last place of what it adds is right for all draws."""
    answers, outcomes = Answers(), {2.0: list[str](), 400.0: list[str]()}
    for seed in range(40):
        case = nearly_cancelling(usual, seed)
        answers.find(seed, case)
        x = case.inputs[0]
        assert isinstance(x, torch.Tensor)
        for units, found in outcomes.items():
            off = units * x.abs().amax(0).double() * 2.0**-24
            output = (x[0].double() / (x.double().sum(0) + off)).float()
            report = StepReport("ok", launches=("one",), tree=answers.known[seed].eager.tree)
            tensors = {"outputs": [output]}
            reviewed = answers.reviewed(seed, case.name, report, tensors, explained=True)
            found.append(reviewed.result.outcome)
    assert set(outcomes[2.0]) == {"passed"}
    assert "passed" not in outcomes[400.0]


ROUNDED = """
import torch


class Model(torch.nn.Module):
    def forward(self, x, weight):
        return torch.relu(x @ weight).float().sum(1)


def get_inputs():
    return [torch.randn(ROWS, 64).bfloat16(), torch.randn(64, 16).bfloat16()]


ROWS = 256
"""


def test_one_value_of_numbers_of_two_bytes_is_right_by_chance_and_may_be_wrong_as_usual(
    tmp_path: Path,
) -> None:
    (tmp_path / "op.py").write_text(ROUNDED)
    usual = plan(settings(load_op(tmp_path / "op.py"), "as-is", 5), 5)[0]
    once, more = [], []
    for seed in range(40):
        draw = torch.Generator().manual_seed(seed)
        inputs = [
            torch.randn(1, 64, generator=draw).bfloat16(),
            torch.randn(64, 16, generator=draw).bfloat16(),
        ]
        answer = right_answer(replace(usual, step=replace(usual.step, inputs=inputs), inputs=inputs), {})
        for found, of in ((once, answer), (more, shaken_more(answer))):
            found.append(difference(of.eager.outputs[0], of.oracle.outputs[0]).relative_l2)
    usually = sorted(more)[20]
    assert min(once) < usually / 20
    assert min(more) > usually / 6
    assert max(more) < 1e-2


def test_a_value_that_towers_is_right_by_chance_too(tmp_path: Path) -> None:
    """The same sums of 256 rows, of which one is a hundred times as large: its error alone is seen."""
    (tmp_path / "op.py").write_text(ROUNDED)
    usual = plan(settings(load_op(tmp_path / "op.py"), "as-is", 5), 5)[0]
    once, more = [], []
    for seed in range(40):
        draw = torch.Generator().manual_seed(seed)
        rows = torch.randn(256, 64, generator=draw)
        rows[17] *= 100
        inputs = [rows.bfloat16(), torch.randn(64, 16, generator=draw).bfloat16()]
        answer = right_answer(replace(usual, step=replace(usual.step, inputs=inputs), inputs=inputs), {})
        for found, of in ((once, answer), (more, shaken_more(answer))):
            found.append(difference(of.eager.outputs[0], of.oracle.outputs[0]).scaled_max)
    usually = sorted(more)[20]
    assert min(once) < usually / 20
    assert min(more) > usually / 6
    assert max(more) < 1e-2
