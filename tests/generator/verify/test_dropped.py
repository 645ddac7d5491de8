"""Close to zero, and of NaN, only that is asked which every honest kernel gives."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.comparison.dropped import why_dropped
from kbgen.generator.verify.comparison.right import right_answer
from kbgen.generator.verify.stages.answers import Answers
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

FILE = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return {expression}


def get_inputs():
    return [torch.randn(8, 24)]
"""
CLOSE = ("faint", "minute", "vanishing", "one NaN")


@pytest.mark.parametrize(
    ("expression", "asked"),
    [
        ("torch.relu(x)", ("faint", "minute", "vanishing")),
        ("x * 2", CLOSE),
        ("x.sum(1)", CLOSE),
        ("torch.tanh(x)", ()),
        ("x + 1", ("faint", "one NaN")),
        ("x * torch.arange(24.0).sum().clamp(min=1)", CLOSE),
        ("x * x.sum().clamp(min=1)", ("faint", "minute", "vanishing")),
        ("x / (x.square().sum(1, keepdim=True) + 1e-6)", ("faint", "minute", "one NaN")),
        ("x.norm(dim=1)", ("faint", "minute", "one NaN")),
        ("x * x", ("faint", "minute", "one NaN")),
        ("x / x.norm()", ("faint", "minute", "one NaN")),  # which reaches everything
        ("torch.softmax(x, 1)", ("faint", "one NaN")),
        ("(x.argmax(1), x)", CLOSE),
        ("x.argmin(0)", CLOSE),
        ("(x * 2).argmin(0)", ("faint", "minute", "vanishing")),
        ("x - x.amax(1, keepdim=True)", ("faint", "minute", "vanishing")),
        ("(x > 0).sum(1)", CLOSE),
        ("torch.where(x > 0, 1, 2)", ("faint", "minute", "vanishing")),
    ],
)
def test_what_is_asked_close_to_zero_and_of_nan(
    tmp_path: Path, expression: str, asked: tuple[str, ...]
) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression=expression))
    cases = [one for one in plan(settings(load_op(path), "as-is", 5), 5) if one.family in CLOSE]
    kept = {
        case.family
        for case in cases
        if not why_dropped(right_answer(case, case.step.state), "fp32", first=False)
    }
    assert kept == set(asked)


def test_nan_that_is_dropped_where_none_is_asked_for_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression="torch.relu(x)"))
    case = next(one for one in plan(settings(load_op(path), "as-is", 5), 5) if one.family == "one NaN")
    answers = Answers()
    answers.find(3, case)
    kept = torch.relu(case.inputs[0])
    assert 3 in answers.dropped
    assert kept.isnan().any()
    assert answers.lost_nan({3: {"outputs": [kept]}}) == []
    assert answers.lost_nan({}) == []
    assert len(answers.lost_nan({3: {"outputs": [kept.nan_to_num()]}})) == 1


@pytest.mark.parametrize(
    ("family", "expression", "undefined"),
    [
        ("infinite rows", "(x * 10).round().to(torch.int8)", True),
        ("infinite rows", "(x * 10).round().clamp(-128, 127).to(torch.int8)", False),
        ("astronomical", "x - torch.floor(x).to(torch.int64)", True),
        ("astronomical", "x - torch.floor(x)", False),
        ("normal", "x - torch.floor(x).to(torch.int64)", False),
    ],
)
def test_a_cast_of_what_integers_do_not_hold_is_not_asked_for(
    tmp_path: Path, family: str, expression: str, undefined: bool
) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression=expression))
    case = next(one for one in plan(settings(load_op(path), "as-is", 5), 5) if one.family == family)
    why = why_dropped(right_answer(case, case.step.state), "fp32", first=False)
    assert ("its integer does not hold" in why) is undefined


@pytest.mark.parametrize(
    ("expression", "asked"),
    [("torch.nn.functional.gelu(x)", True), ("-torch.nn.functional.logsigmoid(x.sum()).view(1)", False)],
)
def test_few_numbers_that_are_small_beside_usual_ones_are_not_asked_where_honest_forms_lose_digits(
    tmp_path: Path, expression: str, asked: bool
) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression=expression))
    found = plan(settings(load_op(path), "as-is", 5), 5)
    usual, case = found[0], next(one for one in found if one.family == "all negative")
    sign = 1.0 if asked else -1.0  # whose sum is far above zero: a loss of next to nothing
    small = replace(case, inputs=[sign * one for one in case.inputs])
    loud = right_answer(replace(usual, inputs=[-one.abs() * 8 + 16 * asked for one in usual.inputs]), {})
    answer = right_answer(small, case.step.state)
    assert (why_dropped(answer, "fp32", first=False, usual=loud) == "") is asked


def test_products_that_overflow_before_they_are_divided_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    quotient = "((x @ x.T) / (x @ x.T).abs().sum(1, keepdim=True).clamp(min=1)) @ x"
    dropped = {}
    for expression in (quotient, "(x @ x.T).softmax(1) @ x"):
        path.write_text(FILE.format(expression=expression))
        found = settings(load_op(path), "as-is", 1)
        case = next(one for one in plan(found, 1) if one.name == "small, enormous")
        dropped[expression] = why_dropped(right_answer(case, case.step.state), "fp32", False)
    assert "overflows" in dropped[quotient]
    assert "overflows" not in dropped["(x @ x.T).softmax(1) @ x"]


def test_minus_infinities_that_an_op_fills_in_are_answers(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression="x.masked_fill(x < x.amax(1, keepdim=True), -torch.inf)"))
    case = plan(settings(load_op(path), "as-is", 5), 5)[0]
    assert not why_dropped(right_answer(case, case.step.state), "fp32", first=True)
    path.write_text(FILE.format(expression="torch.log(x.masked_fill(x < x.amax(1, keepdim=True), -1))"))
    case = plan(settings(load_op(path), "as-is", 5), 5)[0]
    assert "non-finite" in why_dropped(right_answer(case, case.step.state), "fp32", first=True)


def test_products_that_another_order_would_bring_out_of_range_are_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "op.py"
    path.write_text(FILE.format(expression="x.cumprod(1)"))
    case = next(one for one in plan(settings(load_op(path), "as-is", 5), 5) if one.family == "normal")
    rows, size = torch.as_tensor(case.inputs[0]).shape
    for large, asked in ((1.0, True), (1e25, False)):
        row = torch.full((size,), 0.9)
        row[:3], row[3:5] = 1e-9, large
        given = replace(case, inputs=[row.repeat(rows, 1)])
        answer = right_answer(given, given.step.state)
        assert (not why_dropped(answer, "fp32", first=True)) is asked
