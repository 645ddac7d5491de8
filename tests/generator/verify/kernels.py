"""Runs small kernels on the repaired interpreter and prints their errors as JSON, in a process of its own."""

import json

import numpy as np
import torch
import triton
import triton.language as tl

from kbgen.generator.verify.interpreter.interpreter import Watch, install
from kbgen.generator.verify.interpreter.libdevice import emulate_libdevice

WATCH = Watch()
install(WATCH, "sm_90")
emulate_libdevice()
from triton.language.extra import libdevice  # noqa: E402


@triton.jit
def dot(a_ptr, b_ptr, c_ptr, N: tl.constexpr, MODE: tl.constexpr):
    place = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + place, tl.dot(tl.load(a_ptr + place), tl.load(b_ptr + place), input_precision=MODE))


@triton.jit
def pointwise(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    a, b = tl.load(a_ptr + place), tl.load(b_ptr + place)
    value = tl.where(a > b, a * b, -a) + tl.abs(b) - a.to(tl.int32).to(a.dtype)
    tl.store(c_ptr + place, value)


@triton.jit
def narrow(a_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, tl.load(a_ptr + place))


@triton.jit
def total(a_ptr, c_ptr, N: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, N))
    tl.store(c_ptr, tl.sum(a))
    tl.store(c_ptr + 1, tl.max(a))


@triton.jit
def running(a_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, tl.cumsum(tl.load(a_ptr + place), 0))


@triton.jit
def add_pairs(x0, y0, x1, y1):
    return x0 + x1, y0 + y1


@triton.jit
def pairs(a_ptr, c_ptr, N: tl.constexpr):
    a = tl.load(a_ptr + tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :])
    x, y = tl.reduce((a, a * a), 1, add_pairs)
    tl.store(c_ptr + tl.arange(0, N), x + y)


@triton.jit
def tanh(a_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, libdevice.tanh(tl.load(a_ptr + place)))


@triton.jit
def fmax(a_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, tl.maximum(tl.load(a_ptr + place), 0.0))


@triton.jit
def shifted(a_ptr, c_ptr, shift, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, tl.load(a_ptr + place) + shift.to(tl.float32))


@triton.jit
def power(a_ptr, c_ptr, base, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, libdevice.pow(base, tl.load(a_ptr + place)))


@triton.jit
def through_address(table_ptr, c_ptr):
    tl.store(c_ptr, tl.load(tl.load(table_ptr).to(tl.pointer_type(tl.float32))))


@triton.jit
def tickets(count_ptr, c_ptr, N: tl.constexpr):
    place = tl.arange(0, N)
    tl.store(c_ptr + place, tl.atomic_add(count_ptr + place * 0, 1, mask=place < N - 1))


def raised(table: torch.Tensor, c: torch.Tensor) -> str:
    try:
        through_address[(1,)](table, c)
    except triton.runtime.errors.InterpreterError as error:
        return str(error)
    return ""


def gap(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found.double() - expected.double()).abs().max())


def relative(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found.double() - expected).norm() / expected.norm())


def main() -> dict[str, float]:
    torch.manual_seed(0)
    a, b, c = torch.randn(32, 32), torch.randn(32, 32), torch.empty(32, 32)
    exact, errors = a.double() @ b.double(), {}
    for mode in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"):
        dot[(1,)](a, b, c, N=32, MODE=mode)
        errors[f"dot {mode}"] = relative(c, exact)
    low_a, low_b = a.bfloat16(), b.bfloat16()
    dot[(1,)](low_a, low_b, c, N=32, MODE="ieee")
    errors["dot bf16"] = relative(c, low_a.double() @ low_b.double())
    x, y, z = torch.randn(64).bfloat16(), torch.randn(64).bfloat16(), torch.empty(64).bfloat16()
    pointwise[(1,)](x, y, z, N=64)
    errors["bf16 pointwise"] = gap(z, torch.where(x > y, x * y, -x) + y.abs() - x.to(torch.int32).bfloat16())
    wide, low = torch.randn(4096), torch.empty(4096).bfloat16()
    narrow[(1,)](wide, low, N=4096)
    errors["bf16 store"] = float((low != wide.bfloat16()).sum())
    pair = torch.empty(2).bfloat16()
    total[(1,)](x, pair, N=64)
    errors["bf16 sum"] = abs(float(pair[0]) - float(x.double().sum().bfloat16()))
    errors["bf16 max"] = gap(pair[1:], x.max())
    large, wrapped = torch.full((64,), 2**30 + 1, dtype=torch.int32), torch.empty(2, dtype=torch.int32)
    total[(1,)](large, wrapped, N=64)
    errors["int32 sum wraps"] = gap(wrapped[:1], torch.tensor(64))
    running[(1,)](x, z, N=64)
    errors["bf16 cumsum"] = gap(z, x.float().cumsum(0))
    row = torch.empty(32)
    pairs[(1,)](a, row, N=32)
    errors["tuple reduce"] = gap(row, (a.double() + a.double() ** 2).sum(1))
    flat = torch.empty(64)
    tanh[(1,)](wide[:64], flat, N=64)
    errors["libdevice tanh"] = gap(flat, wide[:64].double().tanh())
    holed = torch.tensor([float("nan"), -1.0, 1.0, 2.0])
    found = torch.empty(4)
    fmax[(1,)](holed, found, N=4)
    errors["maximum drops nan"] = gap(found, torch.tensor([0.0, 0.0, 1.0, 2.0]))
    shifted[(1,)](x, flat, 1e-3, N=64)
    errors["argument is float32"] = gap(flat, x.float() + torch.tensor(1e-3))
    power[(1,)](wide[:64], flat, 2.0, N=64)
    errors["libdevice pow"] = relative(flat, 2.0 ** wide[:64].double())
    elsewhere = torch.tensor([wide.data_ptr()])
    errors["pointer of a number"] = float("makes pointers of numbers" not in raised(elsewhere, flat))
    for otherwise, order in ((False, range(7)), (True, range(6, -1, -1))):
        WATCH.otherwise, drawn = otherwise, torch.zeros(8, dtype=torch.int32)
        tickets[(1,)](torch.zeros(1, dtype=torch.int32), drawn, N=8)
        errors[f"lanes {'backwards' if otherwise else 'in order'}"] = gap(drawn[:7], torch.tensor(order))
    return {name: value if np.isfinite(value) else 1e300 for name, value in errors.items()}


if __name__ == "__main__":
    print(json.dumps(main()))
