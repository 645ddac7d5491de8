"""A refusal names the true cause: rounding, a constant, or a formula that is wrong."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.comparison.explain import explain
from kbgen.generator.verify.comparison.right import Answer, right_answer
from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OP = load_op(Path(__file__).parent / "ops" / "relu.py")


@functools.cache
def answer() -> Answer:
    case = next(one for one in plan(settings(OP, "as-is", 3), 3) if one.family == "as shipped")
    return right_answer(case, case.step.state)


def found(error: torch.Tensor, *, right_before: bool = False, rounds: bool = True) -> str | None:
    known = answer()
    right = known.oracle.outputs[0]
    finding = explain([(right + right * error).float()], known, [], "fp32", right_before, rounds)
    return finding[0] if finding else None


def test_rounding_has_both_signs_and_somebody_rounds() -> None:
    shape = answer().oracle.outputs[0].shape
    noise = 3e-4 * torch.randn(shape, generator=torch.Generator().manual_seed(0))
    assert found(noise) == "low-precision"
    assert found(noise, rounds=False) is None
    assert found(noise, right_before=True) is None


def test_one_factor_is_a_formula_s_fault() -> None:
    assert found(torch.tensor(3e-4)) is None


def test_who_was_right_before_returns_no_constant() -> None:
    known = answer()
    zeros = [torch.zeros_like(known.eager.outputs[0])]
    assert explain(zeros, known, [], "fp32") == ("zeros", "it returns zeros")
    assert explain(zeros, known, [], "fp32", right_before=True) is None


def test_zeros_are_no_input_though_one_is_of_zeros() -> None:
    known = answer()
    zeros = torch.zeros_like(known.eager.outputs[0])
    beside = replace(known, case=replace(known.case, inputs=[zeros]))
    assert explain([zeros], beside, [], "fp32", right_before=True) is None


def test_weights_that_differ_in_what_overflows_alone_explain_nothing() -> None:
    """Both answers agree wherever they are finite, so what is not finite is as well its own fault."""
    op = load_op(Path(__file__).parent / "ops" / "poly_half.py")
    case = next(one for one in plan(settings(op, "as-is", 3), 3) if one.family == "as shipped")
    weights = torch.zeros_like(case.step.state["coef"])
    weights[:, 0] = 1
    others = weights.clone()
    others[:, 2:] = torch.finfo(torch.float16).max
    (x,) = case.inputs
    assert isinstance(x, torch.Tensor)
    wide = [(torch.arange(x.numel()).reshape(x.shape) % 2 * 100.0).half()]
    changed = replace(case, inputs=wide, step=replace(case.step, state={"coef": weights}))
    known = right_answer(changed, {"coef": weights})
    earlier = right_answer(case, {"coef": others})
    other = replace(earlier, case=replace(case, step=replace(case.step, state={"coef": others})))
    stale = right_answer(changed, {"coef": others}).eager.outputs
    assert explain([one.clone() for one in stale], known, [other], "fp32") is None


MASKED = """import torch


class Model(torch.nn.Module):
    def forward(self, x, keep):
        return torch.where(keep, x, 0.0)


def get_inputs():
    return [torch.randn(64, 96), torch.rand(64, 96) < 0.7]
"""

NEARLY = """import torch
import triton
import triton.language as tl


@triton.jit
def masked_kernel(x_ptr, keep_ptr, out_ptr, count, BLOCK: tl.constexpr):
    lanes = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.load(keep_ptr + lanes, mask=lanes < count, other=0)
    x = tl.load(x_ptr + lanes, mask=lanes < count, other=0.0)
    tl.store(out_ptr + lanes, tl.where(keep, x * (1.0 + 3e-4 * (lanes % 3 - 1)), 0.0), mask=lanes < count)


class ModelNew(torch.nn.Module):
    def forward(self, x, keep):
        x, keep = x.contiguous(), keep.contiguous()
        out = torch.empty_like(x)
        masked_kernel[(triton.cdiv(x.numel(), 256),)](x, keep, out, x.numel(), BLOCK=256)
        return out
"""


@pytest.mark.usefixtures("quick_judgements")
def test_who_reads_truths_rounds_nothing(tmp_path: Path) -> None:
    op, candidate = tmp_path / "op.py", tmp_path / "nearly.py"
    op.write_text(MASKED)
    candidate.write_text(NEARLY)
    assert verify(candidate, load_op(op), None, scratch=tmp_path, seed=3).cause == "wrong-values"
