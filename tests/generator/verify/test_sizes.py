"""Numbers of every size in one input, and what goes into exponentials as far as they have numbers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.exponents import far_off_alone, spread_exponents, weights_as_exponents
from kbgen.generator.verify.inputs.sizes import of_any_size
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.profiling.build import Input

from .calls import reference

Forward = Callable[..., torch.Tensor]


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def sizes(found: list[Input] | None, place: int = 0) -> torch.Tensor:
    assert found is not None
    value = found[place]
    assert isinstance(value, torch.Tensor)
    return value.abs()


def hill(x: torch.Tensor) -> torch.Tensor:
    far = x.abs() > 1
    return torch.where(far, 1 / (1 + (1 / torch.where(far, x, 1.0)) ** 4), x**4 / (1 + x**4))


@pytest.mark.parametrize("forward", [torch.asinh, hill])
def test_sizes_lie_between_any_two_powers_of_two(forward: Forward) -> None:
    found = sizes(of_any_size(0, reference(forward), [torch.randn(90, 110)], {}, draw()))
    assert len(found.log2().floor().unique()) >= 96
    assert ((found > 2.0**64) & (found < 1e20)).any()
    assert ((found > 2.0**32) & (found < 1e10)).any()


def test_squares_have_room() -> None:
    squares = reference(lambda x: x / (1 + x.square()).sqrt())
    found = sizes(of_any_size(0, squares, [torch.randn(90, 110)], {}, draw()))
    assert 2.0**40 < float(found.max()) < 2.0**47


@pytest.mark.parametrize(
    "forward",
    [
        lambda x: 3 * x + 1,
        torch.relu,
        torch.exp,
        lambda x: x.clamp(-9, 9).prod(-1),
        lambda x: (x * 9).to(torch.int32),
        lambda x: 1 / (1 + x**4) ** 2,
    ],
)
def test_what_has_one_form_or_no_room_is_not_asked_for_every_size(forward: Forward) -> None:
    found = of_any_size(0, reference(forward), [torch.randn(90, 110)], {}, draw())
    assert found is None or float(sizes(found).max()) < 2.0**25


def test_exponents_are_spread_beyond_an_exponential_where_the_op_has_an_end() -> None:
    given: list[Input] = [torch.randn(90, 110), torch.randn(90, 110)]
    ended = sizes(spread_exponents(0, reference(lambda x, y: x.sigmoid() * y), given, {}, draw()))
    assert ((ended > 89) & (ended < 99)).sum() > 100
    endless = sizes(spread_exponents(0, reference(lambda x, y: x.exp() * y), given, {}, draw()))
    assert 80 < float(endless.max()) < 88
    assert spread_exponents(1, reference(lambda x, y: x.exp() * y), given, {}, draw()) is None
    assert spread_exponents(0, reference(lambda x, y: (x @ y.t()).exp()), given, {}, draw()) is None


def test_one_input_alone_is_far_off_where_the_answer_is_an_exponential_of_it() -> None:
    given: list[Input] = [torch.randn(60, 110), torch.rand(60, 110)]
    gate = far_off_alone(0, reference(lambda x, y: x.sigmoid() * y), given, {}, draw())
    rates = far_off_alone(0, reference(lambda x, y: x.exp() - y * x), given, {}, draw())
    for found in (gate, rates):
        assert 73 < float(sizes(found).min()) < float(sizes(found).max()) < 87
    assert gate is not None
    assert gate[1] is given[1]
    assert not sizes(rates, 1).any()
    assert far_off_alone(0, reference(lambda x, y: x.softmax(-1) * y), given, {}, draw()) is None


def test_rates_are_large_where_times_are_short() -> None:
    class Fading(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rate, self.scale = nn.Parameter(torch.randn(110)), nn.Parameter(torch.randn(110))

        def forward(self, time: torch.Tensor) -> torch.Tensor:
            return torch.exp(-nn.functional.softplus(time) * self.rate.exp()) * self.scale.exp2()

    state = dict(Fading().state_dict())
    found = weights_as_exponents(Reference(Fading(), "as-is"), [torch.randn(9, 110)], state, draw())
    assert found is not None
    [time], weights = found
    assert isinstance(time, torch.Tensor)
    assert float(time.mean()) < -4
    assert (weights["rate"] > state["rate"] + 4).all()
