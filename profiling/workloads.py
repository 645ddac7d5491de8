"""The tasks of a calibration as torch calls and Triton kernels, sized for the card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
import triton
import triton.language as tl

from .probe import LiveFacts
from .task import Task

_BLOCK = 4096
_TRAIN = 100  # empty kernels in a row
_COVER = 16  # flushes that last longer than the host takes to enqueue them
_GB_S, _TFLOPS, _GOPS = 1e-3, 1e-6, 1e-3  # work per microsecond -> unit


@triton.jit  # type: ignore[untyped-decorator]
def read_once(source, sums, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """One sum a program over `steps` blocks of fp32, each element read once."""
    index = tl.program_id(0).to(tl.int64) * steps * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(steps):
        total += tl.load(source + index + step * BLOCK)
    tl.store(sums + tl.program_id(0), tl.sum(total, 0))


@triton.jit  # type: ignore[untyped-decorator]
def read_again(source, sums, blocks, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Every program walks the same `blocks` blocks, each from its own place, past the L1."""
    total = tl.zeros((BLOCK,), tl.float32)
    at = tl.program_id(0) * 31 % blocks
    for _ in range(steps):
        total += tl.load(source + at * BLOCK + tl.arange(0, BLOCK), cache_modifier=".cg")
        at = (at + 1) % blocks
    tl.store(sums + tl.program_id(0), tl.sum(total, 0))


@triton.jit  # type: ignore[untyped-decorator]
def exponentials(values, steps, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    """Chains of exp2, four a step: one special function an element each."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + index)
    for _ in range(steps):
        value = tl.exp2(-value)
        value = tl.exp2(-value)
        value = tl.exp2(-value)
        value = tl.exp2(-value)
    tl.store(values + index, value)


@triton.jit
def nothing(place):  # type: ignore[no-untyped-def]
    """An empty kernel."""


def workloads(facts: LiveFacts) -> Iterator[Task]:
    """DRAM first, then caches and launches, then matrix products from the quick to the slow."""
    yield Task(
        "dram_copy_gb_s", "GB/s", _GB_S, "torch.Tensor.copy_ of fp32, read and write", lambda: _copy(facts)
    )
    yield Task(
        "dram_read_gb_s", "GB/s", _GB_S, "a Triton sum over fp32, each read once", lambda: _read(facts)
    )
    yield Task(
        "l2_read_gb_s", "GB/s", _GB_S, "a Triton kernel rereading what fits the L2", lambda: _reread(facts)
    )
    yield Task(
        "launch_us",
        "us",
        1.0,
        f"device time of one of {_TRAIN} empty Triton kernels",
        _launches,
        inverse=True,
        flushes=_COVER,
    )
    yield Task(
        "enqueue_us", "us", 1.0, f"host time of one of {_TRAIN} empty Triton kernels", _launches,
        inverse=True, on_host=True,
    )  # fmt: skip
    yield Task("special_gops", "Gop/s", _GOPS, "a Triton kernel of exp2 chains", lambda: _special(facts))
    for key, dtype in (("tensor_bf16", torch.bfloat16), ("tensor_fp16", torch.float16)):
        yield _product(key, dtype, 8192)
    yield _product("tensor_tf32", torch.float32, 8192, tf32=True)
    fp8 = "torch._scaled_mm of e4m3, 8192 cubed"
    yield Task("tensor_fp8", "TFLOP/s", _TFLOPS, fp8, lambda: _scaled(facts, 8192), burst=True)
    yield _product("fp32", torch.float32, 4096)
    yield _product("tensor_fp64" if _has_fp64_tensor(facts) else "fp64", torch.float64, 4096)
    yield replace(_product("tensor_bf16", torch.bfloat16, 8192), key="tensor_bf16_sustained", burst=False)


def _has_fp64_tensor(facts: LiveFacts) -> bool:
    """A100, H100, B200 class, and AMD's data-center parts: cuBLAS and hipBLAS use their fp64 matrix units."""
    return facts.arch in ("sm_80", "sm_90", "sm_100", "gfx90a", "gfx942", "gfx950")


def _elements(facts: LiveFacts) -> int:
    """fp32 elements far past the L2: 1 GiB, less on a small card."""
    free, _ = torch.cuda.mem_get_info()
    wanted = max(1 << 30, 8 * (facts.l2_bytes or 0))
    return int(min(wanted, free // 4)) // 4 // (8 * _BLOCK) * (8 * _BLOCK)


def _copy(facts: LiveFacts) -> tuple[Callable[[], Any], float]:
    source = torch.randn(_elements(facts), device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source), 8.0 * source.numel()


def _read(facts: LiveFacts) -> tuple[Callable[[], Any], float]:
    source = torch.randn(_elements(facts), device="cuda")
    programs = source.numel() // (8 * _BLOCK)
    sums = torch.empty(programs, device="cuda")
    return lambda: read_once[(programs,)](source, sums, 8, BLOCK=_BLOCK, num_warps=8), 4.0 * source.numel()


def _reread(facts: LiveFacts) -> tuple[Callable[[], Any], float]:
    """A quarter of the L2, walked by eight programs a unit, often enough to forget the first reading."""
    bytes_held = max((facts.l2_bytes or 4 << 20) // 4, 1 << 20)
    blocks, programs, steps = bytes_held // 4 // _BLOCK, 8 * facts.unit_count, 128
    source, sums = torch.randn(blocks * _BLOCK, device="cuda"), torch.empty(programs, device="cuda")
    call = lambda: read_again[(programs,)](source, sums, blocks, steps, BLOCK=_BLOCK, num_warps=8)  # noqa: E731
    return call, 4.0 * _BLOCK * steps * programs


def _launches() -> tuple[Callable[[], Any], float]:
    place = torch.zeros(1, device="cuda")

    def train() -> None:
        for _ in range(_TRAIN):
            nothing[(1,)](place, num_warps=1)

    return train, float(_TRAIN)


def _special(facts: LiveFacts) -> tuple[Callable[[], Any], float]:
    values, steps = torch.rand(facts.unit_count * 32 * 1024, device="cuda"), 64
    programs = values.numel() // 1024
    return lambda: exponentials[(programs,)](
        values, steps, BLOCK=1024, num_warps=8
    ), 4.0 * steps * values.numel()


def _product(key: str, dtype: torch.dtype, size: int, tf32: bool = False) -> Task:
    how = f"torch.mm of {str(dtype).removeprefix('torch.')}{' as tf32' if tf32 else ''}, {size} cubed"
    return Task(key, "TFLOP/s", _TFLOPS, how, lambda: _mm(dtype, size, tf32), burst=True)


def _mm(dtype: torch.dtype, size: int, tf32: bool) -> tuple[Callable[[], Any], float]:
    a, b = (torch.randn(size, size, device="cuda", dtype=dtype) for _ in range(2))
    out = torch.empty_like(a)

    def call() -> None:
        had = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        torch.mm(a, b, out=out)
        torch.set_float32_matmul_precision(had)

    return call, 2.0 * size**3


def _scaled(facts: LiveFacts, size: int) -> tuple[Callable[[], Any], float]:
    kind = torch.float8_e4m3fnuz if facts.arch == "gfx942" else torch.float8_e4m3fn
    a, b = (torch.randn(size, size, device="cuda").to(kind) for _ in range(2))
    one = torch.ones((), device="cuda")
    call = lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16)  # noqa: E731
    return call, 2.0 * size**3
