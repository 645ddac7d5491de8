"""8-bit floats: casts are a card's, results are compared in steps, products are in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from kbgen.generator.verify.interpreter.lowfloat import E4M3, E5M2, eight_to_f32, f32_to_eight
from kbgen.generator.verify.process.layout import poison, unwritten
from kbgen.generator.verify.reference.budget import Target, compare
from kbgen.generator.verify.reference.eight_bits import EIGHT_BITS, Steps, as_bytes, scaled_product, steps
from kbgen.generator.verify.reference.on_a_card import AsOnACard
from kbgen.generator.verify.reference.oracle import InFloat64

SHORT, WIDE = EIGHT_BITS
KINDS = pytest.mark.parametrize(("dtype", "kind"), [(SHORT, E4M3), (WIDE, E5M2)])


@KINDS
def test_every_pattern_of_bits_is_the_number_that_torch_reads(dtype: torch.dtype, kind: np.ndarray) -> None:
    bits = np.arange(256, dtype=np.uint8)
    right = torch.from_numpy(bits).view(dtype).float().numpy()
    np.testing.assert_array_equal(eight_to_f32(bits, kind), right)
    numbers = ~np.isnan(right) & np.isfinite(right)
    np.testing.assert_array_equal(f32_to_eight(right[numbers], kind), bits[numbers])


@KINDS
def test_casts_round_as_torch_does_within_the_range(dtype: torch.dtype, kind: np.ndarray) -> None:
    """Middles between two neighbours among them, which go to the even one; and both sides of each."""
    middles = (kind[:-1] + kind[1:]) / 2
    sides = [np.nextafter(middles, np.float32(end), dtype=np.float32) for end in (0, np.inf)]
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(4096, generator=generator).numpy() * 8
    values = np.concatenate([middles, *sides, kind, drawn])
    values = np.concatenate([values, -values])
    right = torch.from_numpy(values).to(dtype).view(torch.uint8).numpy()
    np.testing.assert_array_equal(f32_to_eight(values, kind), right)


def test_casts_end_at_the_largest_number_as_a_card_s_do() -> None:
    beyond = np.array([1e9, np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(f32_to_eight(beyond, E4M3), [0x7E, 0x7E, 0xFE, 0x7F])
    np.testing.assert_array_equal(f32_to_eight(beyond, E5M2), [0x7B, 0x7B, 0xFB, 0x7F])


def _compared(found: torch.Tensor, right: torch.Tensor) -> str:
    return compare(found, Target(right.double(), right, right.double()), "fp32").kind


def _right() -> torch.Tensor:
    return torch.linspace(-200, 200, 1000).to(SHORT)


def _moved(values: torch.Tensor, count: int, steps: int) -> torch.Tensor:
    """So many of them, positive ones, moved by so many steps."""
    bits = values.view(torch.uint8).clone()
    bits[-count:] += steps
    return bits.view(values.dtype)


def test_a_few_neighbours_of_the_right_value_are_rounding_and_many_are_not() -> None:
    right = _right()
    assert _compared(right.clone(), right) == ""
    assert _compared(_moved(right, 10, 1), right) == ""
    assert _compared(_moved(right, 11, 1), right) == "wrong-values"
    assert _compared(_moved(right, 1, 2), right) == "wrong-values"


def test_one_of_few_values_may_be_a_neighbour() -> None:
    right = _right()[-4:]
    assert _compared(_moved(right, 1, 1), right) == ""
    assert _compared(_moved(right, 2, 1), right) == "wrong-values"


def test_eager_that_is_off_itself_gives_room() -> None:
    right = _right()
    target = Target(right.double(), _moved(right, 10, 1), right.double())
    assert compare(_moved(right, 40, 1), target, "fp32").accepted
    assert not compare(_moved(right, 41, 1), target, "fp32").accepted


def test_nan_is_wanted_where_the_op_has_it_and_nowhere_else() -> None:
    right = _right()
    broken = right.clone()
    broken[3] = torch.nan
    assert _compared(broken, right) == _compared(right, broken) == "non-finite"
    assert _compared(broken, broken.clone()) == ""
    may = Target(right.double(), right, right.double(), spreads=torch.ones(1000, dtype=torch.bool))
    assert compare(broken, may, "fp32").accepted
    assert not compare(broken, replace(may, spreads=torch.zeros(1000, dtype=torch.bool)), "fp32").accepted


def test_zeros_of_both_signs_are_one_number_and_infinity_is_behind_the_largest() -> None:
    pair = torch.tensor([0.0, 57344.0]).to(WIDE), torch.tensor([-0.0, torch.inf]).to(WIDE)
    assert steps(*pair) == Steps(0.5, 1)


@pytest.mark.parametrize("dtype", EIGHT_BITS)
def test_what_nobody_wrote_is_known(dtype: torch.dtype) -> None:
    left = torch.zeros(8).to(dtype)
    poison(left[:5])
    assert unwritten(left) == 5
    assert unwritten(torch.full((8,), torch.nan).to(dtype)) == 0


def test_the_oracle_multiplies_in_float64_what_torch_does_not() -> None:
    generator = torch.Generator().manual_seed(0)
    left, right = (torch.randn(n, 32, generator=generator).to(SHORT) for n in (16, 8))
    scales = torch.rand(16, 1, generator=generator), torch.rand(1, 8, generator=generator)
    bias = torch.randn(8, generator=generator)
    with InFloat64():
        found = torch._scaled_mm(left, right.t(), *scales, bias=bias, out_dtype=torch.float32)
    assert found.dtype == torch.float64
    eager = torch._scaled_mm(left, right.t(), *scales, bias=bias, out_dtype=torch.float32)
    torch.testing.assert_close(eager.double(), found, rtol=1e-6, atol=1e-6)
    one = torch.ones(())
    short = scaled_product(left, right.t(), one, one, out_dtype=WIDE)
    torch.testing.assert_close(
        short.float(), torch._scaled_mm(left, right.t(), one, one, out_dtype=WIDE).float(), rtol=0, atol=0
    )


def test_scales_by_rows_need_no_product_of_the_cpu_s() -> None:
    """Which torch 2.11 does not have: eager's answer is the exact one, rounded once."""
    drawn = torch.Generator().manual_seed(4)
    left, right = (torch.randn(16, 512, generator=drawn).to(SHORT) for _ in range(2))
    scales = [torch.rand(shape, generator=drawn) for shape in ((16, 1), (1, 16))]
    exact = left.double() @ right.double().t() * scales[0].double() * scales[1].double()
    with AsOnACard():
        found = torch._scaled_mm(left, right.t(), *scales, out_dtype=torch.float32)
    assert torch.equal(found, exact.float())
    assert not torch.equal(found, torch._scaled_mm(left, right.t(), *scales, out_dtype=torch.float32))


def test_a_single_element_with_a_step_has_bytes_too() -> None:
    assert as_bytes(torch.zeros(4)[::4]).tolist() == [0, 0, 0, 0]


def test_its_largest_number_may_stand_for_one_beyond_it_and_for_no_nan_that_went_in() -> None:
    """A card's own cast to e4m3 ends at 448, and torch's gives NaN."""
    right = _right()
    right[3] = torch.nan
    ends, less = right.clone(), right.clone()
    ends[3], less[3] = 448.0, 416.0
    assert _compared(ends, right) == ""
    assert _compared(less, right) == "non-finite"
    of_nan = Target(right.double(), right, right.double(), spreads=torch.ones(right.shape, dtype=torch.bool))
    assert compare(ends, of_nan, "fp32").kind == "non-finite"
