"""Runs what compiles and Triton's own interpreter refuses, and prints what came out as JSON, in a process."""

import json
from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl

from kbgen.generator.verify.interpreter.interpreter import Watch, install
from kbgen.generator.verify.interpreter.libdevice import emulate_libdevice

install(Watch(), "sm_90")
emulate_libdevice()
from triton.language.extra import libdevice  # noqa: E402

HALF: tl.constexpr = tl.constexpr(0.5)
TWO = tl.constexpr(2)
WORDS = torch.tensor([0, 1, -1, 6, -(2**31), 2**31 - 1, 0x00F0, -256], dtype=torch.int32)
FLOATS = torch.tensor([0.0, 0.5, 1.5, -2.5, 3.25, float("inf"), float("nan"), -7.75])


@triton.jit
def constants(x, whole, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v, w = tl.load(x + i), tl.load(whole + i)
    tl.store(out + i, HALF * v)
    tl.store(out + N + i, HALF - v)
    tl.store(out + 2 * N + i, HALF / v)
    tl.store(out + 3 * N + i, tl.where(v > HALF, 1.0, 0.0))
    tl.store(out + 4 * N + i, (TWO << (w & 3)).to(tl.float32))


@triton.jit
def methods(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i).abs()
    tl.store(out + i, v.exp() + v.sqrt())
    (out + N + i).atomic_add(v.sin())


@triton.jit
def flipped(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, ~tl.load(x + i).to(tl.uint32))


@triton.jit
def added(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_add(out + i // 4, tl.load(x + i), mask=i < N - 1)


@triton.jit
def counted(out, N: tl.constexpr):
    ones = tl.full((N, N), 1.0, tl.float32)
    block = tl.make_tensor_descriptor(out, [N, N], [N, 1], [N, N])
    block.atomic_add([0, 0], ones)


@triton.jit
def called(function: tl.constexpr, x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, function(tl.load(x + i)))


@triton.jit
def called_with_two(function: tl.constexpr, x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, function(tl.load(x + i), tl.load(y + i)))


@triton.jit
def one(x):
    return x


@triton.jit
def mapped(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(one, tl.load(x + i)))


def raised(launch: Callable[[], Any]) -> str:
    try:
        launch()
    except triton.runtime.errors.InterpreterError as error:
        return type(error.__cause__).__name__
    return ""


def main() -> dict[str, Any]:
    found: dict[str, Any] = {}
    x, out = torch.linspace(-3.5, 3.5, 8), torch.zeros(40)
    constants[(1,)](x, WORDS, out, N=8)
    expected = torch.cat([x / 2, 0.5 - x, 0.5 / x, (x > 0.5).float(), (2 << (WORDS & 3)).float()])
    found["constants"] = float((out - expected).abs().max())
    out = torch.zeros(16)
    methods[(1,)](x, out, N=8)
    found["methods"] = float((out - torch.cat([x.abs().exp() + x.abs().sqrt(), x.abs().sin()])).abs().max())
    bits = torch.empty(8, dtype=torch.int32)
    flipped[(1,)](WORDS, bits, N=8)
    found["flipped"] = bits.tolist()
    sums = torch.tensor([256.0, 0.0]).bfloat16()
    added[(1,)](torch.ones(8).bfloat16(), sums, N=8)
    found["bf16 sums"] = sums.tolist()
    square = torch.full((16, 16), 2.0)
    counted[(1,)](square, N=16)
    found["descriptor"] = float((square - 3).abs().max())
    for name in ("popc", "clz", "ffs", "brev"):
        called[(1,)](getattr(libdevice, name), WORDS, bits, N=8)
        found[name] = bits.tolist()
    called_with_two[(1,)](libdevice.mulhi, WORDS, WORDS.flip(0), bits, N=8)
    found["mulhi"] = bits.tolist()
    for name in ("float2int_rn", "llround", "float_as_int", "ilogb"):
        called[(1,)](getattr(libdevice, name), FLOATS, bits, N=8)
        found[name] = bits.tolist()
    numbers = torch.empty(8)
    for name in ("round", "saturatef", "sinpi"):
        called[(1,)](getattr(libdevice, name), FLOATS, numbers, N=8)
        found[name] = numbers.nan_to_num(nan=99.0).tolist()
    found["not emulated"] = raised(lambda: called[(1,)](libdevice.rcp_ru, FLOATS, numbers, N=8))
    found["not interpreted"] = raised(lambda: mapped[(1,)](FLOATS, numbers, N=8))
    return found


if __name__ == "__main__":
    print(json.dumps(main()))
