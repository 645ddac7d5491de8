"""Candidates in CUDA C++ on a real card: built in the sandbox, judged by running, timed beside the baselines.

Skipped where no card is; tests/generator/verify/test_card.py walks the same road with a simulated extension.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kbgen.generator import benchmark as room
from kbgen.generator.benchmark import benchmark
from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.sanitizer import find_tool
from kbgen.profiling.device import Device, DeviceError, detect
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import trace

from .verify.test_cuda import FILE, OP

COMPILED_BY_TORCH = '''import torch

SOURCE = r"""
extern "C" __global__ void __launch_bounds__(256) relu_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = BODY;
}
"""
kernel = torch.cuda._compile_kernel(SOURCE, "relu_kernel")


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        n = x.numel()
        kernel(grid=((n + 255) // 256, 1, 1), block=(256, 1, 1), args=[x, out, n])
        return out
'''
RELU = "fmaxf(x[i], 0.0f)"
DECOY = COMPILED_BY_TORCH.replace("return out", "return x.clamp(0, None)")


@pytest.fixture(scope="module")
def card() -> Device:
    try:
        found = detect("auto")
    except DeviceError as error:
        pytest.skip(str(error))
    if found.spec.vendor != "nvidia":
        pytest.skip("CUDA C++ runs on NVIDIA's cards")
    return found


def judged(source: str, card: Device, folder: Path) -> tuple[str, str | None]:
    (folder / "op.py").write_text(OP)
    (folder / "candidate.py").write_text(source)
    op = load_op(folder / "op.py", {})
    verdict = verify(folder / "candidate.py", op, card.spec, scratch=folder / "scratch", seed=1, live=True)
    return verdict.word, verdict.cause


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (RELU, None),
        ("fmaxf(x[i], 0.1f)", "wrong-values"),
        (f"{RELU} + 0.0f * (i == n - 1 ? x[i + 200] : 0.0f)", "non-finite"),
        (f"{RELU}; if (i == n - 1) ((float*)x)[i + 7] = 1.0f", "out-of-bounds"),
    ],
)
def test_a_kernel_that_torch_compiles_is_judged_by_running(
    body: str, cause: str | None, card: Device, tmp_path: Path
) -> None:
    found = judged(COMPILED_BY_TORCH.replace("BODY", body), card, tmp_path)
    passes = ("passed", None) if find_tool() else ("inconclusive", "unsupported")
    assert found == (passes if cause is None else ("failed", cause))


def test_what_torch_computes_is_refused(card: Device, tmp_path: Path) -> None:
    assert judged(DECOY.replace("BODY", RELU), card, tmp_path) == ("failed", "library-call")


def test_an_extension_is_built_in_the_sandbox(card: Device, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    source = FILE.replace('r"""', 'r"""\n#include <torch/extension.h>', 1)
    passes = ("passed", None) if find_tool() else ("inconclusive", "unsupported")
    assert judged(source, card, tmp_path) == passes


def test_it_is_timed_beside_the_baselines(
    card: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "PROCESSES", 1)
    monkeypatch.setattr(room, "COMPILED", ())
    (tmp_path / "op.py").write_text(OP.replace("rows, 64", "rows * 512, 4096"))
    (tmp_path / "candidate.py").write_text(COMPILED_BY_TORCH.replace("BODY", RELU))
    traced = trace(load_op(tmp_path / "op.py", {}))
    found = benchmark(tmp_path / "candidate.py", traced.op, card, traced, scratch=tmp_path / "t", processes=1)
    assert found.label != "failed", found.reason
    assert found.speedup is not None
