"""Lines of a wrapper that only sizes reach which nobody else asks for."""

from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("brief_judgements")

OP = """import torch
from torch import nn

ROWS, COLUMNS = 64, 4096


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
def add_kernel(x_ptr, out_ptr, count, more, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + lanes, mask=lanes < count, other=0.0)
    tl.store(out_ptr + lanes, x + more, mask=lanes < count)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        more = 1
        if {condition}:
            more = {more}
        add_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), more, BLOCK=1024)
        return out
"""


NUMBERED = OP.replace("forward(self, x)", "forward(self, x, much: float)").replace("x + 1", "x + much")
NUMBERED = NUMBERED.replace("COLUMNS)]", "COLUMNS), 0.3]")


@pytest.mark.parametrize(
    ("more", "word", "cause"), [("2.5", "passed", None), ("2.0", "failed", "wrong-values")]
)
def test_who_waits_for_a_rare_number_is_given_it(
    tmp_path: Path, more: str, word: str, cause: str | None
) -> None:
    op, candidate = tmp_path / "op.py", tmp_path / "candidate.py"
    op.write_text(NUMBERED)
    text = CANDIDATE.replace("forward(self, x)", "forward(self, x, much: float)").replace(
        "more = 1", "more = much"
    )
    candidate.write_text(text.replace("{condition}", "much == 2.5").replace("{more}", more))
    verdict = verify(candidate, load_op(op), None, scratch=tmp_path / "scratch", seed=5)
    assert (verdict.word, verdict.cause) == (word, cause), verdict.detail


@pytest.mark.parametrize(
    ("condition", "more", "word", "cause"),
    [
        ("x.shape[1] == 1", "1", "passed", None),
        ("x.shape[1] == 1", "2", "failed", "hard-coded-shape"),
        ("x.shape[0] == 517", "2", "failed", "hard-coded-shape"),
        ("x.shape[0] == 9 * x.shape[1] + 5003", "1", "inconclusive", "unjudged-path"),
    ],
)
def test_who_waits_for_a_rare_size_is_called_at_it(
    tmp_path: Path, condition: str, more: str, word: str, cause: str | None
) -> None:
    op, candidate = tmp_path / "op.py", tmp_path / "candidate.py"
    op.write_text(OP)
    candidate.write_text(CANDIDATE.replace("{condition}", condition).replace("{more}", more))
    verdict = verify(candidate, load_op(op), None, scratch=tmp_path / "scratch", seed=5)
    assert (verdict.word, verdict.cause) == (word, cause), verdict.detail
