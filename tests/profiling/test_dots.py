"""Matrix products are read from Triton's IR, and each program's share of the op's flops is its steps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.dots import Dot, read_dots, works

IR = """
%acc = tt.dot %x, %y, %acc_1 : tensor<64x32xf32> * tensor<32x128xf32> -> tensor<64x128xf32> loc(#loc51)
%7 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<2x16x32xbf16> * tensor<2x32x16xbf16> -> tensor<2xf32>
%8 = tt.load %a : tensor<64x32x!tt.ptr<f32>>
"""


@dataclass(frozen=True)
class Kernel:
    dots: tuple[Dot, ...] = ()
    blocks: int = 16
    launches: int = 1
    num_stages: int = 2


def test_products_with_their_elements_and_precision() -> None:
    first, second = read_dots(IR)
    assert first == Dot(64, 128, 32, "f32", "ieee")
    assert second == Dot(16, 16, 32, "bf16", "tf32")
    assert (first.flops, first.bytes) == (2.0 * 64 * 128 * 32, (64 + 128) * 32 * 4.0)


@pytest.mark.parametrize(
    ("dot", "device", "rate"),
    [
        (Dot(16, 16, 16, "f32"), "h100", "fp32"),
        (Dot(16, 16, 16, "f32"), "mi300x", "tensor_fp32"),
        (Dot(16, 16, 16, "f32", "tf32x3"), "h100", "tensor_tf32"),
        (Dot(16, 16, 16, "bf16"), "mi300x", "tensor_bf16"),
        (Dot(16, 16, 16, "f8E4M3FN"), "h100", "tensor_fp8"),
        (Dot(16, 16, 16, "f8E4M3FN"), "a100", "fp32"),
    ],
)
def test_the_unit_that_does_them(dot: Dot, device: str, rate: str) -> None:
    assert dot.rate(find_spec(device)) == rate


def test_steps_are_what_is_left_of_the_flops_for_a_program() -> None:
    dot = Dot(64, 64, 32, "f32")
    spec = find_spec("h100")
    nothing, work = works((Kernel(), Kernel((dot,), blocks=4)), 4 * 10 * dot.flops, spec)
    assert nothing is None
    assert work is not None
    assert (work.steps, work.step_flops, work.step_bytes, work.stages) == (10, dot.flops, dot.bytes, 2)


def test_of_several_multiplying_kernels_nobody_knows_the_shares() -> None:
    dot = Dot(64, 64, 32, "f32")
    assert works((Kernel((dot,)), Kernel((dot,))), 1e9, find_spec("h100")) == ()
    assert works((Kernel(),), 1e9, find_spec("h100")) == ()
