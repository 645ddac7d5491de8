"""Weights and inputs that tell something together: scales below zero, beyond a bound, far out in common, as
small as an epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import batch_norm, normalize

from kbgen.generator.verify.inputs.regimes import REGIMES
from kbgen.generator.verify.reference.oracle import Reference

Forward = Callable[..., torch.Tensor]
BELOW, OPPOSED, ALIKE = (
    "scales below zero, wide inputs",
    "scales far out, rows opposed",
    "scales far out, rows alike",
)
COMMON, EPSILON = "weights far out in common", "weights beside an epsilon"
ROWS = torch.randn(5, 24, generator=torch.Generator().manual_seed(1))


class Weighed(nn.Module):
    """Something of `forward`, of a weight and of what goes in."""

    def __init__(self, forward: Forward, weight: torch.Tensor, loaded: bool = False) -> None:
        super().__init__()
        self.function = forward
        if loaded:
            self.register_buffer("weight", weight)
        else:
            self.weight = nn.Parameter(weight)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(self.weight, *inputs)


def drawn(
    family: str, model: Weighed, *inputs: torch.Tensor, moved: float = 1.0
) -> tuple[list[torch.Tensor], torch.Tensor] | None:
    """Inputs and the weight of a family, from what was drawn to be `moved` times as constructed."""
    state = {name: one * moved for name, one in model.state_dict().items()}
    generator = torch.Generator().manual_seed(0)
    found = REGIMES[family](Reference(model, "as-is"), list(inputs), state, generator)
    if found is None:
        return None
    given, changed = found
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    assert len(tensors) == len(inputs)
    return tensors, changed["weight"]


def test_scales_are_below_zero_where_exponentials_overflow() -> None:
    def scaled(scale: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return (x * scale).softmax(-1)

    found = drawn(BELOW, Weighed(scaled, torch.ones(5, 1)), ROWS)
    assert found is not None
    (x,), scale = found
    top = x.amax(-1, keepdim=True)
    assert ((x - top) * scale).exp().isinf().any()
    assert drawn(BELOW, Weighed(lambda scale, x: x * scale, torch.ones(5, 1)), ROWS) is None
    assert drawn(BELOW, Weighed(scaled, torch.randn(5, 24)), ROWS) is None  # of either sign as constructed


def test_rows_face_each_other_at_a_scale_beyond_its_bound() -> None:
    def cosines(scale: torch.Tensor, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        return normalize(q, dim=-1) @ normalize(k, dim=-1).T * scale.clamp(max=math.log(100)).exp()

    model = Weighed(lambda *given: cosines(*given).softmax(-1), torch.full((1,), math.log(10)))
    for family, sign in ((OPPOSED, -1), (ALIKE, 1)):
        found = drawn(family, model, ROWS, ROWS.flip(0))
        assert found is not None
        inputs, scale = found
        scores = sign * cosines(scale, *inputs)
        assert float(scale) > math.log(100)
        assert float(scores.min()) > 44
        assert float(scores.max()) > 99
        flat = Weighed(lambda scale, q, k: (q * k * scale).softmax(-1), torch.ones(1))
        assert drawn(family, flat, ROWS, ROWS.flip(0)) is None  # no products of rows


def test_weights_and_what_is_subtracted_from_them_lie_far_from_zero() -> None:
    def deviations(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return x @ ((weight - weight.mean(1, keepdim=True)) / weight.std(1, keepdim=True)).T

    def distances(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return (x[:, None] - weight).square().sum(-1)

    weight = torch.randn(6, 24, generator=torch.Generator().manual_seed(2))
    for forward, together in ((deviations, False), (distances, True)):
        found = drawn(COMMON, Weighed(forward, weight), ROWS)
        assert found is not None
        (x,), changed = found
        assert float(changed.mean()) > 500
        assert float(changed.std()) < 2
        assert (float(x.mean()) > 500) is together
    expanded = Weighed(lambda w, x: x.square().sum(-1)[:, None] - 2 * x @ w.T + w.square().sum(-1), weight)
    assert drawn(COMMON, expanded, ROWS) is None  # nothing is subtracted from a weight
    assert drawn(
        COMMON, Weighed(lambda w, x: torch.cdist(x, w) + (x[:, None] - w).exp().sum(-1), weight), ROWS
    )


def test_a_loaded_variance_or_a_row_of_weights_is_as_small_as_an_epsilon() -> None:
    def frozen(variance: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt(variance + 1e-6)

    def evaluated(variance: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return batch_norm(x, torch.zeros(24), variance, eps=1e-6)

    def directions(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return normalize(x, dim=-1) @ normalize(weight, dim=-1, eps=1e-6).T

    for forward in (frozen, evaluated):
        found = drawn(EPSILON, Weighed(forward, torch.ones(24), loaded=True), ROWS, moved=0.75)
        assert found is not None
        assert torch.equal(found[0][0], ROWS)
        assert 0.3e-6 < float(found[1].median()) < 3e-6
    rows = drawn(EPSILON, Weighed(directions, torch.randn(6, 24)), ROWS, moved=0.75)
    assert rows is not None
    assert 0.3e-6 < float(rows[1].norm(dim=-1).median()) < 3e-6
    table = Weighed(frozen, torch.linspace(1, 2, 24), loaded=True)
    assert drawn(EPSILON, table, ROWS) is None  # as constructed: a table
    projected = Weighed(lambda w, x: normalize(x @ w.T, dim=-1, eps=1e-6), torch.randn(6, 24))
    assert drawn(EPSILON, projected, ROWS, moved=0.75) is None  # inputs reach it too


def test_powers_overflow_before_factors_of_zero_take_them_back() -> None:
    def horner(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        found = torch.zeros_like(x)
        for factor in weight[0].flip(0):
            found = found * x + factor
        return found

    found = drawn("first weights alone, wide inputs", Weighed(horner, torch.randn(1, 8)), ROWS)
    assert found is not None
    (x,), weight = found
    assert not weight[0, 2:].any()
    assert horner(weight, x).isfinite().all()
    assert x.pow(7).isinf().any()
    assert drawn("first weights alone, wide inputs", Weighed(horner, torch.randn(1, 2)), ROWS) is None


def test_of_two_inputs_and_two_weights_alike_the_second_are_far_smaller() -> None:
    class Complex(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.re, self.im = nn.Parameter(torch.randn(8, 4)), nn.Parameter(torch.randn(8, 4))

        def forward(self, re: torch.Tensor, im: torch.Tensor) -> torch.Tensor:
            return re @ self.im + im @ self.re

    model, given = Complex(), [torch.randn(3, 8), torch.randn(3, 8)]
    state = {name: one.detach() for name, one in model.named_parameters()}
    found = REGIMES["second parts far smaller"](
        Reference(model, "as-is"), given, state, torch.Generator().manual_seed(0)
    )
    assert found is not None
    inputs, weights = found
    assert torch.equal(torch.as_tensor(inputs[1]), given[1] * 2.0**-14)
    assert torch.equal(weights["im"], state["im"] * 2.0**-14)
    assert torch.equal(weights["re"], state["re"])
