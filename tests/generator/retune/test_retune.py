"""An existing kernel is judged, set for a device, judged again, and weighed against the built-in writer's."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kbgen.generator.job import Event, OptimizeRequest, OptimizeResult
from kbgen.generator.retune.both import holds_both, kernel_alone
from kbgen.generator.retune.run import RefusedKernelError, retune

OP = """
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        return x * 1.5

def get_inputs():
    return [torch.randn(16, 256)]

def get_init_inputs():
    return []
"""
KERNEL = """
import torch
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, x * {factor}, mask=mask)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        scale_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
        return out
"""


def ours(**found: object) -> Callable[[OptimizeRequest, Callable[[Event], None]], OptimizeResult]:
    """A built-in writer that found this."""

    def own(request: OptimizeRequest, say: Callable[[Event], None]) -> OptimizeResult:
        blank = OptimizeResult(
            "unmeasured", "op", "pointwise", {}, True, "", "fp32", "as-is", "synth", True, "", 1.0, {}
        )
        return replace(blank, **found)  # type: ignore[arg-type]

    return own


def asked(folder: Path, factor: str) -> tuple[OptimizeRequest, Path]:
    (folder / "op.py").write_text(OP)
    (folder / "kernel.py").write_text(KERNEL.format(factor=factor))
    request = OptimizeRequest(
        folder / "op.py", gpu="mi300x", out=folder / "out", library=folder / "library", max_candidates=3
    )
    return request, folder / "kernel.py"


def test_a_kernel_is_set_for_the_device_and_the_report_says_what_is_better(tmp_path: Path) -> None:
    request, kernel = asked(tmp_path, "1.5")
    own = ours(candidate_path="built-in.py", estimate_us=1e6)
    result = retune(request, kernel, own=own)
    assert (result.status, result.verified, result.writer) == ("unmeasured", True, f"kernel:{kernel}")
    assert result.candidate_path is not None
    assert "class ModelNew" in Path(result.candidate_path).read_text()
    assert {step["transform"] for step in result.steps} == {"scale_kernel: BLOCK"}
    assert result.beside is not None
    assert result.beside["better"] == "given"
    assert result.beside["why"].startswith("estimated, not measured")
    assert f"kbgen optimize {kernel} --reference {request.op_path} --gpu mi300x" in result.command
    assert "Better: **given**" in (tmp_path / "out" / "report.md").read_text()
    assert json.loads((tmp_path / "out" / "report.json").read_text())["beside"]["path"] == "built-in.py"


def test_a_file_may_hold_its_reference_and_keeps_its_lines_without_it(tmp_path: Path) -> None:
    both = tmp_path / "both.py"
    both.write_text(OP + KERNEL.format(factor="1.5"))
    assert holds_both(both)
    alone = kernel_alone(both.read_text())
    assert "class Model(" not in alone
    assert "get_inputs" not in alone
    lines = both.read_text().splitlines()
    assert lines.index("class ModelNew(torch.nn.Module):") == alone.splitlines().index(
        "class ModelNew(torch.nn.Module):"
    )
    (tmp_path / "op.py").write_text(OP)
    assert not holds_both(tmp_path / "op.py")


def test_a_kernel_that_is_wrong_is_not_set_for_anything(tmp_path: Path) -> None:
    request, kernel = asked(tmp_path, "1.25")
    with pytest.raises(RefusedKernelError, match="is wrong as it is"):
        retune(request, kernel, own=ours())
