"""Single values that another program stores: who makes use of one has raced, who merely loads it has not."""

from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("quick_judgements")

OP = """import torch
from torch import nn

ROWS, COLUMNS = 64, 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
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
def add_kernel(x_ptr, out_ptr, count_ptr, total, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    lanes = program * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes, mask=lanes < total, other=0.0)
    one = 1.0
    count = tl.load(count_ptr)
    {use}
    tl.store(out_ptr + lanes, x + one, mask=lanes < total)
    tl.store(count_ptr, count + 1, mask=program == 0)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        add_kernel[(triton.cdiv(x.numel(), 256),)](x, out, self.count, x.numel(), BLOCK=256)
        return out
"""


@pytest.mark.parametrize(
    ("use", "cause"),
    [
        ("pass", None),
        ("one += 0.0 * tl.minimum(count, 1.0)", "race"),
        ("one = tl.where(count < -1e30, 2.0, one)", "race"),
        ("x = tl.where(count > 1e30, x * 2.0, x)", "race"),
        ("x += 0.0 * tl.sum(tl.full((1,), 0.0, tl.float32) + count)", "race"),
        ("one += 0.0 * tl.extra.libdevice.tanh(count)", "race"),
        ("if count > 1e30:\n        one = 2.0", "race"),
    ],
)
def test_who_makes_use_of_it_has_raced(use: str, cause: str | None, tmp_path: Path) -> None:
    op, candidate = tmp_path / "op.py", tmp_path / "candidate.py"
    op.write_text(OP)
    candidate.write_text(CANDIDATE.replace("{use}", use))
    verdict = verify(candidate, load_op(op), None, scratch=tmp_path / "scratch", seed=5)
    assert (verdict.cause, verdict.detail if cause is None else "") == (cause, "")
