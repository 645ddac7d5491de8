"""Products of 8-bit factors are counted as products, and bounded by the units that do them."""

from pathlib import Path

import pytest

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.eight_bits import all_in_eight_bits, eight_bit_units
from kbgen.profiling.facts import compute_kind, graph_facts
from kbgen.profiling.limit import by_parts_us, least_us
from kbgen.profiling.op import load_op
from kbgen.profiling.trace import TracedOp, trace

OP = """
import torch
rows, width, cols = 4096, 8192, 2048
class Model(torch.nn.Module):
    def forward(self, x, w, scale):
        return {forward}
def get_inputs():
    return [{x}, {w}, torch.rand(())]
"""
SCALED = "torch._scaled_mm(x, w.t(), scale, scale, out_dtype=torch.bfloat16)"
FLOPS = 2 * 4096 * 8192 * 2048


def traced(tmp_path: Path, forward: str, dtype: str = "float8_e4m3fn") -> TracedOp:
    path = tmp_path / "op.py"
    made = [f"torch.empty({shape}, dtype=torch.{dtype})" for shape in ("(rows, width)", "(cols, width)")]
    path.write_text(OP.format(forward=forward, x=made[0], w=made[1]))
    return trace(load_op(path))


def test_a_scaled_product_is_a_product(tmp_path: Path) -> None:
    """Two flops for each pair of factors, and one for each scale of a result."""
    found = traced(tmp_path, SCALED)
    assert found.family == "matmul"
    assert found.flops == FLOPS + 2 * 4096 * 2048
    assert found.bytes_min == 8192 * (4096 + 2048) + 4 + 2 * 4096 * 2048
    assert found.dtypes[0] == "float8_e4m3fn"


@pytest.mark.parametrize(
    ("forward", "dtype", "kind"),
    [
        (SCALED, "float8_e4m3fn", "tensor_fp8"),
        (f"{SCALED} @ torch.ones(cols, 8, dtype=torch.bfloat16)", "float8_e4m3fn", "fp32"),
        ("torch._int_mm(x, w.t()) * scale", "int8", "tensor_int8"),
        ("x.float() * scale", "float8_e4m3fn", "fp32"),
    ],
)
def test_arithmetic_is_bounded_by_the_unit_that_does_all_of_it(
    tmp_path: Path, forward: str, dtype: str, kind: str
) -> None:
    found = traced(tmp_path, forward, dtype)
    assert compute_kind(found) == kind
    assert all_in_eight_bits(found) is kind.startswith("tensor")
    spec = find_spec("h200")
    assert graph_facts(found, spec)["compute_peak_tflops"] == spec.peak_tflops[kind]


def test_no_honest_kernel_is_called_too_fast(tmp_path: Path) -> None:
    """The scales are fp32 and no measure of how fast their product can be."""
    found, spec = traced(tmp_path, SCALED), find_spec("h200")
    assert eight_bit_units(found) == {"tensor_fp8"}
    assert least_us(found, spec) == pytest.approx(found.flops / spec.peak_tflops["tensor_fp8"] / 1e6)
    assert by_parts_us(found, spec) is None
