"""CUDA C++ is read out of a candidate as text, cut into what is the device's, and compiled for a card that is
not here; what the compile says nothing about is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling import cuda_static, nvrtc
from kbgen.profiling.cuda_source import cuda_texts, is_cuda
from kbgen.profiling.cuda_static import CudaReport, inspect_cuda
from kbgen.profiling.cuda_text import items, without_comments
from kbgen.profiling.nvrtc import NvrtcError, compile_cuda, find_library

CUDA = r"""#include <torch/extension.h>
#include <cuda_fp16.h>
#define WIDE 4
// a stray { brace
constexpr int BLOCK = 256;
struct Pair { float one, two; };
namespace {
template <typename scalar_t>
__device__ scalar_t twice(scalar_t x) { return x + x; }
template <typename T, int N>
__global__ void __launch_bounds__(256) many(const T* x, T* out, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n) out[i] = twice(x[i]) * N;
}
}
__global__ void relu_kernel(const float4* __restrict__ x, float4* out, int n) {
    __shared__ float tile[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i]; tile[threadIdx.x] = v.x; __syncthreads();
    v.x = tile[threadIdx.x ^ 37]; if (i < n) { out[i] = v; }
}
torch::Tensor relu_cuda(torch::Tensor x) {
    auto out = torch::empty_like(x);
    TORCH_CHECK(x.is_cuda(), "a } brace");
    relu_kernel<<<1, 256>>>((float4*)x.data_ptr<float>(), (float4*)out.data_ptr<float>(), 4);
    many<float, 2><<<1, 256>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] {
        many<scalar_t, 3><<<1, 256>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), 1);
    });
    return out;
}
"""
FILE = '''import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""{cuda}"""
relu = load_inline(name="relu", cpp_sources="", cuda_sources=[SOURCE], functions=["relu_cuda"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return relu.relu_cuda(x)
'''
WHOLE = FILE.format(cuda=CUDA)
NEEDS_NVRTC = pytest.mark.skipif(find_library() is None, reason="NVRTC is not installed")


def test_only_the_device_s_code_is_left_and_lines_stay_where_they_are() -> None:
    (text,) = cuda_texts(WHOLE)
    assert (text.kernels, text.instances, text.open_kernels) == (("relu_kernel",), ("many<float, 2>",), ())
    assert (text.lacking, text.torch_types, text.dynamic_shared, text.line) == ((), False, False, 4)
    assert "torch" not in text.text
    assert "data_ptr" not in text.text
    lines = CUDA.splitlines()
    assert len(text.text.splitlines()) <= len(lines)
    for place, line in enumerate(text.text.splitlines()):
        assert not line.strip() or line.strip() == lines[place].strip()


@given(st.text(alphabet="{}();#\"'/*\\\n a<>=RT,", max_size=60))
def test_any_text_is_cut_into_pieces_that_join_to_it(text: str) -> None:
    assert "".join(item.text for item in items(text)) == text
    assert without_comments(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("changed", "cuda"),
    [
        (WHOLE, True),
        (WHOLE.replace("load_inline(", "print("), False),
        (WHOLE + "def (", False),
        ('x = torch.cuda._compile_kernel("__global__ void k() {}", "k")', True),
    ],
)
def test_a_candidate_in_cuda_is_known_by_its_loader(changed: str, cuda: bool) -> None:
    assert is_cuda(changed) is cuda


def inspected(cuda: str, folder: Path, device: str = "h100", file: str = FILE) -> CudaReport:
    return inspect_cuda(file.format(cuda=cuda), find_spec(device), folder)


@NEEDS_NVRTC
@pytest.mark.parametrize(("device", "target"), [("h100", "sm_90a"), ("rtx4090", "sm_89")])
def test_kernels_are_compiled_for_the_card(tmp_path: Path, device: str, target: str) -> None:
    report = inspected(CUDA, tmp_path, device)
    assert (report.target, report.rejections, report.unknown) == (target, (), "")
    relu, many = sorted(report.kernels, key=lambda kernel: kernel.name, reverse=True)
    assert (relu.name, many.name) == ("relu_kernel", "many<float, 2>")
    assert 0 < relu.registers < 40
    assert (relu.shared_bytes, relu.spill_bytes) == (1024, 0)
    assert (relu.load_bits, relu.store_bits) == ({128: 1}, {128: 1})
    assert (relu.most_threads, relu.occupancy) == (None, None), "its block is not known"
    assert many.most_threads == 256
    assert many.occupancy is not None
    assert many.occupancy.fraction == 1.0
    assert any("host code is not compiled" in said for said in report.unchecked)


@NEEDS_NVRTC
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "tile[threadIdx.x] = v.x;",
            "tile[threadIdx.x] = nope(v.x);",
            '"nope" is undefined (line 22: `float4 v',
        ),
        (
            "__shared__ float tile[BLOCK];",
            "__shared__ float tile[BLOCK * 1024];",
            "does not compile for sm_90a",
        ),
        ("__launch_bounds__(256)", "__launch_bounds__(2048)", "asks for 2048 threads a block"),
    ],
)
def test_what_the_card_cannot_run_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in " ".join(inspected(CUDA.replace(old, new), tmp_path).rejections)


def test_another_vendor_s_card_is_refused_without_a_compiler(tmp_path: Path) -> None:
    assert "cannot run" in inspected(CUDA, tmp_path, "mi300x").rejections[0]


@pytest.mark.parametrize(
    ("cuda", "file", "said"),
    [
        (CUDA, FILE.replace("[SOURCE]", "SOURCE.strip()"), "not a string that stands in the file"),
        (CUDA.replace("const float4*", "const at::Half*"), FILE, "torch's own C++ types"),
        ("int f() { return 1; }", FILE, "no kernel that could be compiled"),
    ],
)
def test_what_cannot_be_compiled_here_is_no_fault(tmp_path: Path, cuda: str, file: str, said: str) -> None:
    report = inspected(cuda, tmp_path, file=file)
    assert said in report.unknown
    assert report.rejections == ()


@NEEDS_NVRTC
def test_no_header_of_the_machine_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("the-secret-of-the-machine")
    report = inspected(f'#include "{secret}"\n' + CUDA.replace("v.x;", "nope;"), tmp_path)
    assert "does not compile without" in report.unknown
    assert "the-secret-of-the-machine" not in repr(report)


def test_a_machine_without_the_compiler_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "find_library", lambda: None)
    with pytest.raises(NvrtcError, match=r"pip install 'kbgen\[cuda\]'"):
        compile_cuda("", "sm_90")


@NEEDS_NVRTC
def test_a_target_that_the_compiler_does_not_know_is_no_fault() -> None:
    with pytest.raises(NvrtcError, match="does not compile for sm_999"):
        compile_cuda("__global__ void k() {}", "sm_999")


@NEEDS_NVRTC
def test_a_header_of_cuda_s_that_is_not_here_is_no_fault(tmp_path: Path) -> None:
    plain = inspected("#include <cuda_fp16.h>\n#include <stdint.h>\n" + CUDA, tmp_path)
    assert (plain.rejections, plain.unknown) == ((), "")
    absent = inspected("#include <cuda_no_such_part.h>\n" + CUDA, tmp_path)
    assert absent.rejections == ()
    assert "does not compile without cuda_no_such_part.h" in absent.unknown


@NEEDS_NVRTC
def test_a_log_in_other_words_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = cuda_static._compiled
    monkeypatch.setattr(cuda_static, "_compiled", lambda *asked: {**known(*asked), "log": "all is well"})
    report = inspected(CUDA, tmp_path)
    assert "in a way that is not known here" in report.unknown
    assert (report.kernels, report.rejections) == ((), ())
