"""Loops of a reference that make a network of one operator have fewer turns at most shapes."""

from pathlib import Path

import pytest

from kbgen.generator.verify.shapes.turns import with_fewer_turns
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

EXPERTS = """import torch
from torch import nn

TOKENS, DIM, EXPERTS = 4096, 256, 48


class Model(nn.Module):
    def __init__(self, dim, experts, rounds):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(experts, dim, dim) * dim**-0.5)
        self.rounds = rounds

    def forward(self, x, chosen):
        out = torch.zeros_like(x)
        for expert in range(len(self.weight)):
            mine = (chosen == expert).unsqueeze(1)
            out = out + torch.relu(x @ self.weight[expert]) * mine
        for _ in range(self.rounds):
            out = out / 2
        return out


def get_inputs():
    return [torch.randn(TOKENS, DIM), torch.randint(0, EXPERTS, (TOKENS,))]


def get_init_inputs():
    return [DIM, EXPERTS, {rounds}]
"""


@pytest.fixture
def experts(tmp_path: Path) -> Path:
    path = tmp_path / "experts.py"
    path.write_text(EXPERTS.replace("{rounds}", "0"))
    return path


def test_experts_are_fewer_at_more_shapes_and_all_of_them_at_the_first(experts: Path) -> None:
    op = load_op(experts)
    few = with_fewer_turns(op)
    assert few is not None
    assert few.overrides == {"EXPERTS": 4}
    found = {
        one.name: one.op.constants["EXPERTS"] for one in settings(op, "as-is", 1, source="for i in n: pass")
    }
    assert found["small"] == found["odd"] == 48
    assert found["alike"] == found["short"] == 4
    assert {"wide", "tall", "alike"} < found.keys()


def test_rounds_that_shape_nothing_stay_as_they_are(experts: Path) -> None:
    source = EXPERTS.replace("{rounds}", "ROUNDS").replace("256, 48", "256, 2\nROUNDS = 60")
    experts.write_text(source)
    assert with_fewer_turns(load_op(experts)) is None


def test_a_few_calls_are_no_loop_to_cut(experts: Path) -> None:
    experts.write_text(EXPERTS.replace("{rounds}", "0").replace("256, 48", "256, 3"))
    assert with_fewer_turns(load_op(experts)) is None
