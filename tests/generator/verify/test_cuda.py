"""Without a card a candidate in CUDA C++ can be refused and never passes; what is left open is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kbgen.generator.verify.cuda import LABEL, NOT_RUN, library_fault, python_side
from kbgen.generator.verify.judge import verify
from kbgen.generator.verify.text.scan import scan
from kbgen.generator.verify.verdict import Verdict, from_json
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.nvrtc import find_library
from kbgen.profiling.op import load_op

OP = """import torch

rows = 16


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)


def get_inputs():
    return [torch.randn(rows, 64)]
"""
FILE = '''import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
__global__ void relu_kernel(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fmaxf(x[i], 0.0f);
}
torch::Tensor relu(torch::Tensor x) {
    auto out = torch::empty_like(x);
    relu_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
    return out;
}
"""
module = load_inline(
    name="relu", cpp_sources="torch::Tensor relu(torch::Tensor x);", cuda_sources=SOURCE, functions=["relu"]
)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module.relu(x.contiguous())
'''
NEEDS_NVRTC = pytest.mark.skipif(find_library() is None, reason="NVRTC is not installed")


def judged(source: str, folder: Path, device: str | None = "h100") -> Verdict:
    (folder / "op.py").write_text(OP)
    (folder / "candidate.py").write_text(source)
    spec = find_spec(device) if device else None
    return verify(folder / "candidate.py", load_op(folder / "op.py", {}), spec, scratch=folder, seed=1)


@NEEDS_NVRTC
def test_what_compiles_is_not_verified(tmp_path: Path) -> None:
    verdict = judged(FILE, tmp_path)
    assert (verdict.word, verdict.cause) == ("inconclusive", "unsupported")
    assert "relu_kernel) compile for sm_90a" in verdict.detail
    assert verdict.detail.endswith(NOT_RUN)
    assert LABEL in verdict.labels
    assert NOT_RUN in verdict.target["not_checked"]
    assert any("host code" in said for said in verdict.target["not_checked"])
    (kernel,) = verdict.target["kernels"]
    assert (kernel["name"], kernel["spill_bytes"], kernel["occupancy"]) == ("relu_kernel", 0, None)
    assert kernel["registers"] > 0
    assert from_json(json.loads(json.dumps(verdict.to_json()))).detail == verdict.detail


@NEEDS_NVRTC
def test_what_does_not_compile_is_refused_by_its_line(tmp_path: Path) -> None:
    verdict = judged(FILE.replace("fmaxf", "fmaxg"), tmp_path)
    assert (verdict.word, verdict.cause) == ("failed", "does-not-compile")
    assert '"fmaxg" is undefined (line 7: `if (i < n) out[i]' in verdict.detail


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("self.module.relu(x.contiguous())", "torch.relu(x)", "library-call"),
        ("self.module.relu(x.contiguous())", "x.relu()", "library-call"),
        ("import torch\n", "import torch\nimport os\n", "forbidden-code"),
        ("    def forward", "    def other", "inherited"),
    ],
)
def test_its_python_is_read_like_any_other_s(tmp_path: Path, old: str, new: str, cause: str) -> None:
    verdict = judged(FILE.replace(old, new, 1), tmp_path)
    assert (verdict.word, verdict.cause) == ("failed", cause)


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("__global__", "// within 3 % of cublas, replaces torch::mm(x)\n__global__", None),
        (
            "torch::empty_like(x)",
            "torch::empty_like(x, at::cuda::getCurrentCUDAStream(), torch::dtype(k))",
            None,
        ),
        ("auto out", 'dlopen("libcudnn.so", 1); auto out', "forbidden-code"),
        ("auto out", 'const char* path = "libcublas.so.12"; auto out', "library-call"),
        ("auto out", 'const char* name = "cu" "blasSgemm_v2"; auto out', "library-call"),
        ("torch::empty_like(x)", "torch::nn::functional::linear(x, w)", "library-call"),
        ("torch::empty_like(x)", "at::native::relu(x)", "library-call"),
        ("auto out", "using namespace at; auto out", "forbidden-code"),
        ("int n) {", "int n) { CAT(a##b)", "forbidden-code"),
    ],
)
def test_its_c_plus_plus_calls_no_library_and_hides_no_call(old: str, new: str, cause: str | None) -> None:
    fault = library_fault(FILE.replace(old, new, 1))
    assert (fault.cause if fault else None) == cause


def test_without_a_target_and_on_another_vendor_s(tmp_path: Path) -> None:
    assert judged(FILE, tmp_path, None).word == "inconclusive"
    assert judged(FILE, tmp_path, "mi300x").cause == "does-not-compile"


def test_the_loader_is_nothing_to_a_reader_of_python() -> None:
    read = python_side(FILE)
    assert read.count("\n") == FILE.count("\n")
    assert scan(read).fault is None
    assert scan(FILE).fault is not None
    again = python_side(
        FILE.replace("from torch.utils.cpp_extension import load_inline", "import torch.utils")
    )
    assert "load_inline" not in again
