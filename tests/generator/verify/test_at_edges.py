"""Integers that follow from a comparison of computed numbers, where rivals were put near each other."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.comparison.right import Answer, at_edges, right_answer
from kbgen.generator.verify.inputs.families import HALVES
from kbgen.generator.verify.inputs.repeated import NEARLY_TWICE
from kbgen.generator.verify.reference.budget import compare
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

FILE = """import torch
from torch import nn

ROWS = 64


class Model(nn.Module):
    def forward(self, x):
        return (x.square().sum(1) < {bound}).sum(0), x.square().sum(1).sqrt()


def get_inputs():
    return [torch.randn(ROWS, 3)]


def get_init_inputs():
    return []
"""


def answer(folder: Path, bound: str, family: str = NEARLY_TWICE) -> Answer:
    file = folder / "op.py"
    file.write_text(FILE.format(bound=bound))
    case = plan(settings(load_op(file), "as-is", 0), 0)[0]
    case.inputs[0] = ROWS  # type: ignore[index]
    return right_answer(replace(case, family=family), case.step.state)


ROWS = torch.randn(64, 3, generator=torch.Generator().manual_seed(3))
ON_EDGE = float(ROWS.double().square().sum(1).median())


def one_more(asked: Answer) -> bool:
    target = asked.targets()[0]
    return compare(target.eager + 1, target, "fp32").accepted


def test_a_row_on_the_edge_may_be_counted_or_not(tmp_path: Path) -> None:
    asked = answer(tmp_path, repr(ON_EDGE))
    known = at_edges(asked)
    assert not one_more(asked)
    assert known.flips == (1, 0)
    assert one_more(known)


def test_off_the_edge_every_row_counts(tmp_path: Path) -> None:
    asked = answer(tmp_path, repr(ON_EDGE * 1.001))
    assert at_edges(asked) is asked


@pytest.mark.parametrize("family", ["normal", "constant", HALVES])
def test_edges_that_are_met_to_the_bit_excuse_nothing(tmp_path: Path, family: str) -> None:
    asked = answer(tmp_path, repr(ON_EDGE), family)
    assert at_edges(asked) is asked
