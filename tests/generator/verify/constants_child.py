"""Runs small kernels with an argument of one on the repaired interpreter, and prints as JSON what comes of
each: a number, or the error's kind. In a process of its own."""

import json
from typing import Any

import torch
import triton
import triton.language as tl

from kbgen.generator.verify.interpreter.conditions import Conditions
from kbgen.generator.verify.interpreter.interpreter import Watch, install
from kbgen.generator.verify.interpreter.watched import watch_kernels

WATCH = Watch()
install(WATCH, "sm_90")
watch_kernels(Conditions())


@triton.jit
def cast(out_ptr, n):
    tl.store(out_ptr, n.to(tl.float32))


@triton.jit(do_not_specialize=["n"])
def cast_variable(out_ptr, n):
    tl.store(out_ptr, n.to(tl.float32))


@triton.jit
def cast_typed(out_ptr, n: "i64"):  # noqa: F821
    tl.store(out_ptr, n.to(tl.float32))


@triton.jit
def cast_of_helper(out_ptr, n):
    tl.store(out_ptr, tl.cdiv(n, 16).to(tl.float32))


@triton.jit
def cast_in_tuple(out_ptr, pair):
    tl.store(out_ptr, pair[0].to(tl.float32))


@triton.jit
def assigned(out_ptr, n):
    n -= 1
    a, b = n, 1
    tl.store(out_ptr, (a + b).to(tl.float32) + b.to(tl.float32))


@triton.jit
def halved_in_a_loop(out_ptr, n):
    while n > 1:
        n //= 2
    tl.store(out_ptr, n)


@triton.jit
def tripled_in_a_loop_unrolled(out_ptr, n):
    for _ in tl.static_range(2):
        n = n * 3
    tl.store(out_ptr, n)


@triton.jit
def grown_in_a_branch(out_ptr, n):
    if tl.program_id(0) == 0:
        n = n + 3
    tl.store(out_ptr, n)


@triton.jit
def grown_where_it_is_one(out_ptr, n):
    if n == 1:
        n = n + 3
    tl.store(out_ptr, n)


@triton.jit
def divided(out_ptr, n):
    tl.store(out_ptr, -n // 2)


@triton.jit
def promised(out_ptr, n):
    tl.store(out_ptr, tl.multiple_of(n, 1))


@triton.jit
def reckoned(out_ptr, n):
    for i in range(0, n):
        if n > 0 and i < n:
            tl.store(out_ptr, tl.where(n == 1, tl.maximum(n, 2), 0) + i.to(tl.float32))


def outcome(kernel: Any, value: Any) -> float | str:
    WATCH.begin()
    out = torch.zeros(1)
    try:
        kernel[(1,)](out, value)
    except triton.runtime.errors.InterpreterError as error:
        return type(error.__cause__).__name__
    return float(out)


def main() -> dict[str, float | str]:
    kernels = (
        *(cast, cast_variable, cast_typed, cast_of_helper, assigned, halved_in_a_loop),
        *(tripled_in_a_loop_unrolled, grown_in_a_branch, grown_where_it_is_one, divided, promised, reckoned),
    )
    found = {kernel.__name__: outcome(kernel, 1) for kernel in kernels}
    return {**found, "cast_in_tuple": outcome(cast_in_tuple, (1, 2)), "cast of two": outcome(cast, 2)}


if __name__ == "__main__":
    print(json.dumps(main()))
