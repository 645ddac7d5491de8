"""Labels that a verdict can carry, each given where it is due; statuses are in test_admit.py."""

from pathlib import Path

import pytest

from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.verdict import Inconclusive, Passed
from kbgen.profiling.op import load_op

pytestmark = pytest.mark.usefixtures("quick_judgements")

TESTS = Path(__file__).parents[2]
OPS = Path(__file__).parent / "ops"

SUM_FIRST = '''"""Sums the rows of b first, then multiplies: a product of a matrix and a vector."""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def row_sums(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, axis=0))


@triton.jit
def row_products(a_ptr, v_ptr, out_ptr, depth, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < depth
    a = tl.load(a_ptr + row * depth + offsets, mask=inside, other=0.0)
    v = tl.load(v_ptr + offsets, mask=inside, other=0.0)
    tl.store(out_ptr + row, tl.sum(a * v, axis=0))


class ModelNew(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a, b = a.contiguous(), b.contiguous()
        (rows, depth), columns = a.shape, b.shape[1]
        sums = torch.empty(depth, dtype=a.dtype, device=a.device)
        out = torch.empty(rows, dtype=a.dtype, device=a.device)
        row_sums[(depth,)](b, sums, columns, BLOCK=triton.next_power_of_2(columns))
        row_products[(rows,)](a, sums, out, depth, BLOCK=triton.next_power_of_2(depth))
        return out
'''


def test_less_arithmetic_than_the_op_s_own_is_algorithmic(tmp_path: Path) -> None:
    path = tmp_path / "sum_first.py"
    path.write_text(SUM_FIRST)
    verdict = verify(path, load_op(OPS / "sum_of_product.py"), None, scratch=tmp_path / "scratch", seed=1)
    assert isinstance(verdict, Passed), verdict.detail
    assert verdict.labels == ("algorithmic",)


def test_a_product_done_in_full_is_not(tmp_path: Path) -> None:
    path = TESTS / "honest" / "matmul_ieee.py"
    verdict = verify(path, load_op(OPS / "matmul.py"), None, scratch=tmp_path, seed=1)
    assert isinstance(verdict, Passed), verdict.detail
    assert verdict.labels == ()


@pytest.mark.parametrize(("cheat", "op", "label"), [
    ("degenerate_op", "degenerate", "degenerate"), ("random_op", "dropout", "inconclusive"),
])  # fmt: skip
def test_what_cannot_be_judged_is_labelled(cheat: str, op: str, label: str, tmp_path: Path) -> None:
    verdict = verify(TESTS / "cheats" / f"{cheat}.py", load_op(OPS / f"{op}.py"), None, scratch=tmp_path)
    assert isinstance(verdict, Inconclusive)
    assert label in verdict.labels
