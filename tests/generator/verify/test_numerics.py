"""The repaired interpreter computes what a GPU computes, where Triton's own does not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
import triton.language as tl
from hypothesis import given
from hypothesis import strategies as st

from kbgen.generator.verify.interpreter.libdevice import _FUNCTIONS
from kbgen.generator.verify.interpreter.lowfloat import bf16_to_f32, f32_to_bf16, tf32, tf32_nearest
from kbgen.generator.verify.interpreter.numerics import _product, smallest_operands

NORMAL = st.floats(2.0**-40, 2.0**40, width=32)


@pytest.fixture(scope="module")
def errors() -> dict[str, float]:
    script = Path(__file__).parent / "kernels.py"
    env = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, script], env=env, capture_output=True, text=True, timeout=120, check=True
    )
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("dot ieee", 2e-7),
        ("dot tf32x3", 3e-7),
        ("dot bf16x3", 2e-5),
        ("dot bf16x6", 2e-7),
        ("dot bf16", 1e-6),
        ("bf16 pointwise", 0.0),
        ("bf16 store", 0.0),
        ("bf16 sum", 0.0),
        ("bf16 max", 0.0),
        ("int32 sum wraps", 0.0),
        ("bf16 cumsum", 0.04),
        ("tuple reduce", 2e-5),
        ("libdevice tanh", 1e-7),
        ("libdevice pow", 1e-7),
        ("maximum drops nan", 0.0),
        ("argument is float32", 0.0),
        ("pointer of a number", 0.0),
        ("lanes in order", 0.0),
        ("lanes backwards", 0.0),
    ],
)
def test_error_is_small(errors: dict[str, float], name: str, most: float) -> None:
    assert errors[name] <= most


def test_tf32_is_as_wrong_as_on_hardware(errors: dict[str, float]) -> None:
    assert 2e-4 < errors["dot tf32"] < 2e-3


@given(st.floats(width=32))
def test_bf16_rounds_as_torch_does(value: float) -> None:
    ours = f32_to_bf16(np.array([value], np.float32))
    theirs = torch.tensor([value], dtype=torch.float32).bfloat16()
    assert np.array_equal(bf16_to_f32(ours), theirs.float().numpy(), equal_nan=True)


@given(st.floats(-(2.0**100), 2.0**100, width=32))
def test_tf32_keeps_ten_bits_and_never_grows(value: float) -> None:
    kept = float(tf32(np.array([value], np.float32))[0])
    assert abs(kept) <= abs(value)
    assert abs(kept - value) <= abs(value) * 2.0**-10 or abs(value) < 1e-37


@given(NORMAL, NORMAL)
def test_three_tf32_products_are_off_by_two_to_the_minus_21(one: float, other: float) -> None:
    left, right = np.full((1, 1), one, np.float32), np.full((1, 1), other, np.float32)
    exact = float(left[0, 0]) * float(right[0, 0])
    error = abs(float(_product(left, right, "TF32X3")[0, 0]) - exact)
    assert error <= (2.0**-21 + 2.0**-23) * exact  # the split's, and that of adding up in float32


@given(NORMAL)
def test_nearest_tf32_is_nearest(value: float) -> None:
    kept = float(tf32_nearest(np.array([value], np.float32))[0])
    assert abs(kept - value) <= abs(value) * 2.0**-11


@pytest.mark.parametrize("mode", ["TF32X3", "BF16X3", "BF16X6"])
def test_a_split_product_keeps_infinity(mode: str) -> None:
    left, right = np.array([[1.0, 0.5]], np.float32), np.array([[np.inf], [3.0]], np.float32)
    with np.errstate(invalid="ignore"):
        assert _product(left, right, mode)[0, 0] == np.inf


@pytest.mark.parametrize(
    ("name", "near", "least", "most"),
    [("fast_logf", 1.0001, 1e-5, 1e-2), ("fast_logf", 9.0, 0.0, 1e-15), ("fast_sinf", 0.7, 1e-8, 1e-6)],
)
def test_fast_functions_are_as_wrong_as_a_card_s(name: str, near: float, least: float, most: float) -> None:
    x = near + torch.arange(64, dtype=torch.float64) * 1e-6
    exact = {"fast_logf": torch.log, "fast_sinf": torch.sin}[name](x)
    error = float(((_FUNCTIONS[name](x) - exact) / exact).abs().max())
    assert least <= error <= most


def test_a_product_of_few_terms_is_refused_where_the_compiler_refuses_it() -> None:
    def block(dtype: tl.dtype, terms: int) -> tl.block_type:
        return tl.block_type(dtype, [16, terms])

    on_nvidia = smallest_operands("sm_90")
    assert on_nvidia(block(tl.float16, 16), block(tl.float16, 16)) == (1, 1, 16)
    assert on_nvidia(block(tl.int8, 32), block(tl.int8, 32)) == (1, 1, 32)
    for dtype, terms in ((tl.float32, 8), (tl.int8, 16)):
        with pytest.raises(ValueError, match="K >= "):
            on_nvidia(block(dtype, terms), block(dtype, terms))
        assert smallest_operands("gfx942")(block(dtype, terms), block(dtype, terms)) == (1, 1, 1)
