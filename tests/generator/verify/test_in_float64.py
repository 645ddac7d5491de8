"""The oracle with its operators off by their roundings."""

from collections.abc import Callable

import pytest
import torch

from kbgen.generator.verify.reference.budget import STEP_ROUNDOFF
from kbgen.generator.verify.reference.in_float64 import InFloat64


@pytest.mark.parametrize("seed", range(4))
def test_equal_values_round_alike_where_that_is_asked(seed: int) -> None:
    with InFloat64(torch.Generator().manual_seed(seed), equals_alike=True):
        alike = torch.full((64,), 0.7).exp()
    with InFloat64(torch.Generator().manual_seed(seed)):
        apart = torch.full((64,), 0.7).exp()
    assert len(alike.unique()) == 1
    assert len(apart.unique()) == 2


@pytest.mark.parametrize("seed", range(4))
def test_values_that_differ_are_off_by_either_sign(seed: int) -> None:
    values = torch.linspace(0.5, 2, 400)
    with InFloat64(torch.Generator().manual_seed(seed), equals_alike=True):
        found = values.exp()
    up = (found > values.double().exp()).float().mean()
    assert 0.3 < up < 0.7


def test_a_row_s_logarithm_is_off_by_one_sign() -> None:
    """`logarithm - score` of equal rows: all are off as the logarithm is."""
    scores = torch.full((64, 4), 1000.0)
    with InFloat64(torch.Generator().manual_seed(3), equals_alike=True):
        found = scores.log_softmax(-1)
    right = scores.double().log_softmax(-1)
    assert (found - right).abs().min() > 1000 * 2.0**-27
    assert (found - right).mean().abs() > 1000 * 2.0**-27


@pytest.mark.parametrize(("terms", "times"), [(8, 1), (4096, 16)])
def test_a_sum_is_off_as_its_terms_are_many(terms: int, times: float) -> None:
    """What is made of it is off with it, by what a kernel's own sum may be off."""
    values = torch.rand(64, terms)
    with InFloat64(torch.Generator().manual_seed(0)):
        found = values.sum(1)
    off = (found / values.double().sum(1) - 1).abs()
    assert off.sub(times * STEP_ROUNDOFF).abs().max() < 1e-3 * STEP_ROUNDOFF


@pytest.mark.parametrize("function", [torch.nn.functional.softplus, torch.nn.functional.elu, torch.asinh])
def test_what_is_commonly_a_difference_of_ones_is_off_by_last_bits_of_one(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    values = torch.full((64,), -12.0) if function is not torch.asinh else torch.full((64,), 1e-6)
    with InFloat64(torch.Generator().manual_seed(0)):
        found = function(values)
    off = (found - function(values.double())).abs()
    assert 0.5 * STEP_ROUNDOFF < float(off.max()) < 3 * STEP_ROUNDOFF


def test_nan_that_a_comparison_of_infinity_leaves_out_may_be_anything() -> None:
    given = torch.tensor([0.5, torch.inf])
    with InFloat64() as warped:
        torch.where(given.floor() < 4, given - given.floor(), 0.0)
    with InFloat64() as masked:
        torch.where(torch.arange(2) < 1, given - given.floor(), 0.0)
    assert warped.compares_nan
    assert not masked.compares_nan


def test_a_sum_of_looked_up_sums_has_the_terms_of_both() -> None:
    def terms(forward: Callable[[torch.Tensor], torch.Tensor]) -> int:
        with InFloat64() as seen:
            forward(torch.rand(40, 64, 16))
        return seen.terms

    rows, plain = torch.arange(64).repeat(40, 1), terms(lambda x: x[..., 0].sum(1))
    assert terms(lambda x: x.sum(-1).gather(1, rows).sum(1)) == 16 * plain
    assert terms(lambda x: x.sum(-1).exp().sum(1)) == plain


@pytest.mark.parametrize(
    ("cast", "passes"),
    [
        (lambda x: x.to(torch.int64), False),
        (lambda x: (x * 2.0**70).to(torch.int64), True),
        (lambda x: (x * 300).to(torch.uint8), True),
        (lambda x: (x / 0).to(torch.int32), True),
        (lambda x: torch.zeros(4, dtype=torch.int32).copy_(x * 2.0**31), True),
        (lambda x: torch.fft.fft(x).to(torch.complex128), False),
        (lambda x: x.bool().to(torch.int8), False),
    ],
)
def test_a_number_that_its_integer_does_not_hold_is_noted(
    cast: Callable[[torch.Tensor], torch.Tensor], passes: bool
) -> None:
    with InFloat64() as lifting:
        cast(torch.tensor([0.0, 1.0, 2.0, 3.0]))
    assert lifting.seen()["passes_integers"] is passes
