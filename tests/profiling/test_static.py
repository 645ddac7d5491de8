"""Candidates compiled for cards that are not here: what is recorded, what is read, what is refused."""

import re
from pathlib import Path

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.compile_cache import CompileCache
from kbgen.profiling.op import load_op
from kbgen.profiling.static import StaticReport, inspect

OP = """
import torch
from torch import nn

ROWS, COLS = 16384, 4096

class Model(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
        return torch.softmax(x * self.scale + y, dim=-1)

def get_inputs():
    return [torch.randn(ROWS, COLS), torch.randn(ROWS, COLS)]

def get_init_inputs():
    return [0.125]
"""

KERNELS = """
import torch
import triton
import triton.language as tl
from torch import nn

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, scale, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x, y = tl.load(x_ptr + offsets, mask=mask), tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * scale + y, mask=mask)

@triton.jit
def softmax_kernel(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    row, offsets = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    mask = offsets < cols
    x = tl.load(x_ptr + row * cols + offsets, mask=mask, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * cols + offsets, e / tl.sum(e, axis=0), mask=mask)

@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, k_size, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    acc = tl.zeros((M, N), tl.float32)
    for start in range(0, k_size, K):
        a = tl.load(a_ptr + m[:, None] * k_size + (start + k)[None, :])
        b = tl.load(b_ptr + (start + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)
"""

MODEL = """
class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x, y):
"""

ADD = """
        x = x.contiguous()
        total = torch.empty_like(x)
        grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
        add_kernel[grid](x, y, total, self.scale, x.numel(), BLOCK=4096, num_warps=8)
"""

SOFTMAX = """
        out = torch.empty_like(total)
        softmax_kernel[(total.shape[0],)](total, out, total.shape[1], BLOCK=4096, num_warps=8)
        return out
"""


def inspected(
    tmp_path: Path,
    forward: str,
    device: str = "h100",
    extra: str = "",
    model: str = MODEL,
    cache: CompileCache | None = None,
) -> StaticReport:
    (tmp_path / "op.py").write_text(OP)
    (tmp_path / "candidate.py").write_text(KERNELS + extra + model + forward)
    return inspect(
        tmp_path / "candidate.py", load_op(tmp_path / "op.py"), find_spec(device), tmp_path / "scratch", cache
    )


@pytest.mark.parametrize(
    ("device", "threads"), [("h100", 256), ("rtx4090", 256), ("mi300x", 512), ("mi250x", 512), ("b200", 256)]
)
def test_add_and_softmax_are_read_on_every_kind_of_card(tmp_path: Path, device: str, threads: int) -> None:
    report = inspected(tmp_path, ADD + SOFTMAX, device)
    assert report.ok, report.rejections
    assert report.arch == find_spec(device).arch
    add, softmax = report.kernels
    assert (add.name, add.grid) == ("add_kernel", (16384, 1, 1))
    assert (softmax.name, softmax.grid) == ("softmax_kernel", (16384, 1, 1))
    for kernel in report.kernels:
        assert set(kernel.load_bits) == set(kernel.store_bits) == {128}
        assert (kernel.spill_bytes, kernel.num_warps) == (0, 8)
        assert 8 <= kernel.registers <= 128
        assert 0 < kernel.occupancy.fraction <= 1
    per_thread = 2 * 4096 * 32 // threads  # bits of both inputs, in accesses of 128
    assert add.load_bits[128] * 128 == per_thread
    assert add.shared_bytes == 0
    assert softmax.shared_bytes > 0  # the reduction across warps
    assert softmax.instructions["special"] >= 4096 // threads  # one exponential an element


def test_waves_are_blocks_over_what_the_card_holds(tmp_path: Path) -> None:
    (kernel,) = inspected(tmp_path, ADD + "        return total\n").kernels
    assert kernel.occupancy.limiter in {"warps", "registers"}
    assert kernel.waves == pytest.approx(16384 / (132 * kernel.occupancy.blocks_per_unit))


def test_equal_launches_are_counted_and_different_ones_listed(tmp_path: Path) -> None:
    twice = (
        ADD
        + ADD
        + "        softmax_kernel[(8,)](total, x, 4096, BLOCK=4096, num_warps=4)\n        return total\n"
    )
    report = inspected(tmp_path, twice)
    assert [(kernel.name, kernel.launches, kernel.num_warps) for kernel in report.kernels] == [
        ("add_kernel", 2, 8),
        ("softmax_kernel", 1, 4),
    ]


def test_a_kernel_that_did_not_change_is_not_compiled_again(tmp_path: Path) -> None:
    """Neither its place in the file nor what stands beside it makes it another one."""
    cache = CompileCache(tmp_path / "cache")
    before = inspected(tmp_path, ADD + SOFTMAX, cache=cache)
    fewer = SOFTMAX.replace("num_warps=8", "num_warps=4")
    after = inspected(tmp_path, ADD + fewer, extra="\nUNUSED = 1\n", cache=cache)
    assert after.kernels[0] == before.kernels[0]  # with the seconds that compiling it took
    assert (after.kernels[1].num_warps, before.kernels[1].num_warps) == (4, 8)
    assert len(cache.kernels) == 3


def test_a_misaligned_view_is_compiled_as_the_card_would(tmp_path: Path) -> None:
    """A view that starts one element in has no 16-byte alignment: its loads, and only they, stay narrow."""
    forward = """
        n = y.numel() - 16
        total = torch.empty_like(x)
        add_kernel[(16384,)](x, y.flatten()[1 : n + 1], total, self.scale, n, BLOCK=4096, num_warps=8)
        return total
    """
    (kernel,) = inspected(tmp_path, forward).kernels
    assert kernel.load_bits == {128: 4, 32: 16}
    assert set(kernel.store_bits) == {128}


def test_a_spilling_kernel_is_rejected(tmp_path: Path) -> None:
    forward = """
        out = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=32768, num_warps=2)
        return out
    """
    report = inspected(tmp_path, forward)
    assert not report.ok
    assert report.kernels[0].spill_bytes > 0
    assert "softmax_kernel spills" in report.rejections[0]
    assert "use a smaller tile or more warps" in report.rejections[0]


def test_a_spilling_kernel_is_rejected_on_amd_too(tmp_path: Path) -> None:
    """Eight waves a SIMD leave a wave 64 registers, too few for 128 elements a lane."""
    forward = """
        out = torch.empty_like(x)
        softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=8192, num_warps=1, waves_per_eu=8)
        return out
    """
    report = inspected(tmp_path, forward, "mi300x")
    assert report.kernels[0].spill_bytes > 0
    assert "softmax_kernel spills" in report.rejections[0]


DOT = """
        a = torch.empty(128, 1024, dtype=torch.float16)
        b = torch.empty(1024, 128, dtype=torch.float16)
        c = torch.empty(128, 128)
        dot_kernel[(1,)](a, b, c, 1024, M=128, N=128, K=64, num_warps=8, num_stages=5)
        return c
"""


def test_too_much_shared_memory_is_rejected_where_it_is_too_much(tmp_path: Path) -> None:
    """Four or five stages of 32 KiB fit an H100 (227 KiB) and no RTX 4090 (99 KiB)."""
    hopper = inspected(tmp_path, DOT, "h100")
    assert hopper.ok, hopper.rejections
    assert hopper.kernels[0].instructions["wgmma"] > 0
    assert hopper.kernels[0].shared_bytes > 101_376
    ada = inspected(tmp_path, DOT, "rtx4090")
    assert ada.kernels[0].instructions["mma"] > 0
    assert "bytes of shared memory a block, GeForce RTX 4090 has 101376" in ada.rejections[0]


AUTOTUNED = """
tuned_kernel = triton.autotune(
    [
        triton.Config({"BLOCK": 32768}, num_warps=2),
        triton.Config({"BLOCK": 4096}, num_warps=4),
        triton.Config({"BLOCK": 8192}, num_warps=8),
    ],
    key=["cols"],
)(softmax_kernel)
"""


def test_an_autotuned_kernel_is_recorded_with_its_first_configuration_that_fits(tmp_path: Path) -> None:
    forward = """
        out = torch.empty_like(x)
        tuned_kernel[(x.shape[0],)](x, out, x.shape[1])
        return out
    """
    report = inspected(tmp_path, forward, extra=AUTOTUNED)
    assert report.ok, report.rejections
    (kernel,) = report.kernels
    assert (kernel.name, kernel.num_warps) == ("softmax_kernel", 4)
    assert "BLOCK: 4096" in kernel.config


def test_host_code_may_ask_for_the_card(tmp_path: Path) -> None:
    """A persistent kernel takes its grid from the card; device checks and "cuda" literals hold."""
    forward = """
        assert x.is_cuda
        units = torch.cuda.get_device_properties(x.device).multi_processor_count
        total = torch.zeros(x.shape, device="cuda", dtype=x.dtype)
        major, _ = torch.cuda.get_device_capability()
        with torch.cuda.device(x.device):
            add_kernel[(units * major,)](x, y.cuda(), total.to("cuda"), self.scale, x.numel(), BLOCK=1024)
        return total + 1
    """
    (kernel,) = inspected(tmp_path, forward).kernels
    assert kernel.grid == (132 * 9, 1, 1)


def test_a_constructor_may_read_numbers_that_it_makes(tmp_path: Path) -> None:
    """As networks do that drop more of their deeper layers."""
    read = "[x.item() for x in torch.linspace(0, 0.1, 2)]"
    model = MODEL.replace("self.scale = scale", f"self.scale, self.rates = scale, {read}")
    assert inspected(tmp_path, ADD + "        return total\n", model=model).ok


@pytest.mark.parametrize(
    ("forward", "model", "sentence"),
    [
        (
            "        return x.no_such_method()",
            MODEL,
            r"forward\(\) of candidate.py fails on fake tensors: .*no_such_method.* \(line \d+",
        ),
        (
            "        add_kernel[(1,)](x, y, x, 1.0, 5, BLOCK=1000)",
            MODEL,
            "add_kernel does not compile for sm_90: .*power of 2",
        ),
        (
            "        add_kernel[(1,)](x, y, x, 1.0, 5, BLOCK=1024, waves_per_eu=2)",
            MODEL,
            r"forward\(\) .* waves_per_eu",
        ),
        ("        pass", MODEL.replace("ModelNew", "Model"), "has no class ModelNew"),
        (
            "        return x if x.sum().item() > 0 else y",
            MODEL,
            r"forward\(\) of candidate.py fails on fake tensors",
        ),
    ],
)
def test_what_cannot_be_compiled_gets_one_sentence(
    tmp_path: Path, forward: str, model: str, sentence: str
) -> None:
    report = inspected(tmp_path, forward, model=model)
    assert report.kernels == ()
    (rejection,) = report.rejections
    assert "\n" not in rejection
    assert len(rejection) < 500
    assert re.search(sentence, rejection), rejection


def test_a_candidate_that_ends_the_process_is_reported(tmp_path: Path) -> None:
    report = inspected(tmp_path, "        import os\n        os._exit(0)")
    assert report.rejections == ("compiling candidate.py failed: it exited with code 0 before it replied",)
