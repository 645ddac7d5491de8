"""Products of 8-bit floats: how they are written, and what the compilers of each target make of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kbgen.generator.writers.synth.loops import Loops
from kbgen.generator.writers.synth.program import Program, read_program, write_program
from kbgen.generator.writers.synth.schedule import start_schedule
from kbgen.generator.writers.synth.tiles import Tiles
from kbgen.generator.writers.synth.transforms.inherent import inherent
from kbgen.generator.writers.synth.writer import SynthWriter
from kbgen.generator.writers.writer import Candidate, Declined, Request
from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.op import load_op
from kbgen.profiling.source import execute, read_source
from kbgen.profiling.trace import trace

OP = """
import torch
rows, width, cols = 256, 512, 128
class Model(torch.nn.Module):
    def forward(self, x, w, scale, by_row):
        return {expression}
def get_inputs():
    return [
        torch.randn(rows, width).to(torch.{left}), torch.randn(cols, width).to(torch.float8_e4m3fn),
        torch.rand(()), torch.rand(rows, 1),
    ]
"""
PRODUCT = "torch._scaled_mm({left}, w.t(), scale, scale, out_dtype=torch.{out}, use_fast_accum={fast})"
STORED = PRODUCT.format(left="x", out="bfloat16", fast=False)
QUANTISED = PRODUCT.format(left="(x * scale).to(w.dtype)", out="bfloat16", fast=False)

Write = Callable[..., Program]


@pytest.fixture
def product(tmp_path: Path) -> Write:
    """x (256, 512) by w (128, 512) turned, and what is done with it."""

    def read(expression: str, left: str = "float8_e4m3fn") -> Program:
        path = tmp_path / "op.py"
        path.write_text(OP.format(expression=expression, left=left))
        return read_program([trace(load_op(path))])

    return read


def _loops(program: Program) -> Loops:
    (loops,) = program.loops.values()
    return loops


def _source(program: Program) -> str:
    return write_program(program, {i: start_schedule(loops) for i, loops in program.loops.items()}, "op")


@pytest.mark.parametrize(
    ("out", "fast", "written"),
    [
        ("bfloat16", False, "acc = tl.dot(x, w, acc, max_num_imprecise_acc=BLOCK_K)"),
        ("float32", True, "acc = tl.dot(x, w, acc, max_num_imprecise_acc=BLOCK_K)"),
        ("bfloat16", True, "acc = tl.dot(x, w, acc)"),
    ],
)
def test_sums_stay_short_only_where_the_op_allows_and_the_result_hides_it(
    product: Write, out: str, fast: bool, written: str
) -> None:
    program = product(PRODUCT.format(left="x", out=out, fast=fast))
    assert written in _source(program)
    told = [choice.technique for choice in inherent(_loops(program))]
    assert ("fp8-promotion" in told) is ("imprecise" in written)
    hopper, blackwell = (Tiles(_loops(program), find_spec(name)) for name in ("h200", "b200"))
    assert hopper.in_short_sums is ("imprecise" in written)
    assert not blackwell.in_short_sums


def test_factors_that_are_quantised_on_the_way_are_added_up_by_the_kernel(product: Write) -> None:
    source = _source(product(QUANTISED, "bfloat16"))
    assert "x = tl.load(x_ptr + rows * n_k + left_ks, mask=left_mask, other=0.0).to(tl.float32)" in source
    assert re.search(r"(\w+) = to_e4m3\(x \* scale\)", source)
    assert re.search(r"acc \+= tl.dot\(tl.where\(left_mask, \w+, 0.0\), w\)\n", source)


def test_the_unit_is_that_of_the_target(product: Write) -> None:
    loops = _loops(product(STORED))
    plain = start_schedule(loops)
    found = {name: Tiles(loops, find_spec(name)).rate(plain) for name in ("h200", "b200", "mi355x", "mi300x")}
    assert found == {**dict.fromkeys(("h200", "b200", "mi355x"), "tensor_fp8"), "mi300x": "tensor_fp16"}


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("torch._scaled_mm(x, w.t(), scale, scale, scale_result=scale)", "a scale of the result"),
        ("x @ x.t()", "a product of 8-bit floats without scales"),
    ],
)
def test_what_is_declined_says_why(product: Write, expression: str, why: str) -> None:
    (call,) = product(expression).left_to_torch
    assert call.reason.startswith(why)


def _written(tmp_path: Path, expression: str, device: str) -> Candidate | Declined:
    path = tmp_path / "op.py"
    path.write_text(OP.format(expression=expression, left="float8_e4m3fn"))
    op = load_op(path)
    return SynthWriter().write(Request(op, trace(op), (), find_spec(device)))


def test_before_ada_there_is_no_e4m3(tmp_path: Path) -> None:
    found = _written(tmp_path, STORED, "a100")
    assert isinstance(found, Declined)
    assert "_scaled_mm.default: Triton has no e4m3 for sm_80" in found.reason
    found = _written(tmp_path, "(x.float() * 2, by_row * 2)", "a100")
    assert isinstance(found, Candidate)
    assert found.left_to_torch == ("to.dtype: Triton has no e4m3 for sm_80",)


TARGETS: Mapping[str, tuple[GPUTarget, str]] = {
    "h200": (GPUTarget("cuda", 90, 32), "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3"),
    "b200": (GPUTarget("cuda", 100, 32), "tcgen05.mma.cta_group::1.kind::f8f6f4"),
    "mi300x": (GPUTarget("hip", "gfx942", 64), "v_mfma_f32_32x32x8_f16"),
}


def _assembly(path: Path, target: GPUTarget, types: Mapping[str, str]) -> str:
    module: Any = execute(read_source(path), {})
    (kernel,) = (value for name, value in vars(module).items() if name.endswith("_kernel"))
    blocks = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}
    kinds = {name: "constexpr" if name in blocks else types.get(name, "i32") for name in kernel.arg_names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(kernel.arg_names) if n not in blocks}
    made = triton.compile(ASTSource(kernel, kinds, blocks, aligned), target=target)
    return str(made.asm.get("ptx") or made.asm["amdgcn"])


@pytest.mark.parametrize(
    ("device", "expression", "left", "x"),
    [
        ("h200", STORED, "float8_e4m3fn", "*fp8e4nv"),
        ("h200", QUANTISED, "bfloat16", "*bf16"),
        ("b200", STORED, "float8_e4m3fn", "*fp8e4nv"),
        ("mi300x", STORED, "float8_e4m3fn", "*fp8e4nv"),
    ],
)
def test_matrix_units_take_eight_bits_or_what_they_are_widened_to(
    product: Write, tmp_path: Path, device: str, expression: str, left: str, x: str
) -> None:
    """On Hopper a step's sums, which the unit keeps in 14 bits, are added to the others in fp32."""
    path = tmp_path / "kernel.py"
    path.write_text(_source(product(expression, left)))
    types = {"x_ptr": x, "w_ptr": "*fp8e4nv", "scale_ptr": "*fp32", "out_ptr": "*bf16"}
    target, instruction = TARGETS[device]
    text = _assembly(path, target, types)
    assert instruction in text
    sums_of_a_thread = 64 * 64 // 128
    assert len(re.findall(r"\badd\.(?:rn\.)?f32", text)) == (sums_of_a_thread if device == "h200" else 0)
