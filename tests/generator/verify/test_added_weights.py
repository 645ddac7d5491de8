"""Weights that are added alone go far from zero, where exponentials follow."""

import torch
from torch import nn

from kbgen.generator.verify.inputs.added_weights import (
    FAR,
    below_zero,
    far_ahead,
    far_below_zero,
    far_from_zero,
    far_in_common,
)
from kbgen.generator.verify.reference.oracle import Reference

X = torch.randn(6, 4)


class Shifted(nn.Module):
    def __init__(self, then: nn.Module) -> None:
        super().__init__()
        self.shift, self.scale, self.then = nn.Parameter(torch.randn(4)), nn.Parameter(torch.randn(4)), then

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.then(x * self.scale + self.shift)
        return result


def moved(model: nn.Module) -> dict[str, torch.Tensor] | None:
    state = {name: one.clone() for name, one in model.state_dict().items()}
    return far_from_zero(Reference(model, "as-is"), [X], state, torch.Generator().manual_seed(0))


def test_what_is_added_moves_and_what_multiplies_stays() -> None:
    model = Shifted(nn.Softmax(-1))
    state = moved(model)
    assert state is not None
    assert float(state["shift"].abs().max()) > 20
    assert torch.equal(state["scale"], model.scale)


def test_without_exponentials_or_weights_that_are_added_nothing_moves() -> None:
    assert moved(Shifted(nn.ReLU())) is None
    assert moved(nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1))) is None


def test_the_last_of_a_bias_is_ahead_of_a_softmax_that_keeps_its_digits() -> None:
    class Turned(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            rows = super().forward(x)
            return rows.softmax(-1) + rows.sum(-1, keepdim=True).sin()

    for model, asked in (
        (nn.Sequential(nn.Linear(4, 4), nn.Softmax(-1)), True),
        (nn.Sequential(nn.Linear(4, 4), nn.ReLU()), False),
        (Turned(4, 4), False),
    ):
        state = {name: one.clone() for name, one in model.state_dict().items()}
        far = far_ahead(Reference(model, "as-is"), [X], state, torch.Generator())
        assert (far is not None) is asked
        if far is not None:
            assert far["0.bias"].argmax() == 3
            assert float(far["0.bias"][3]) > 100


def test_all_sums_lie_below_zero_where_the_largest_is_taken() -> None:
    model = Shifted(nn.AdaptiveMaxPool1d(1))
    state = {name: one.clone() for name, one in model.state_dict().items()}
    far = far_below_zero(FAR, Reference(model, "as-is"), [X], state, torch.Generator().manual_seed(0))
    assert far is not None
    assert float(far["shift"].max()) < -100
    draw = torch.Generator().manual_seed(0)
    assert far_below_zero(FAR, Reference(Shifted(nn.ReLU()), "as-is"), [X], state, draw) is None


def test_sums_lie_far_out_together_where_their_deviation_is_taken() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4))
    state = {name: one.clone() for name, one in model.state_dict().items()}
    far = far_in_common(Reference(model, "as-is"), [X], state, torch.Generator().manual_seed(0))
    assert far is not None
    assert float(far["0.bias"].min()) > 32
    assert torch.equal(far["1.bias"], state["1.bias"])


def test_sums_lie_a_little_below_zero_where_a_largest_is_taken_behind_what_falls_there() -> None:
    def lowered(then: nn.Module) -> dict[str, torch.Tensor] | None:
        model = Shifted(then)
        state = {name: one.clone() for name, one in model.state_dict().items()}
        return below_zero(Reference(model, "as-is"), [X], state, torch.Generator().manual_seed(0))

    state = lowered(nn.Sequential(nn.GELU(), nn.AdaptiveMaxPool1d(1)))
    assert state is not None
    assert -4 < float(state["shift"].min()) < float(state["shift"].max()) < 0
    assert lowered(nn.GELU()) is None
    assert lowered(nn.AdaptiveMaxPool1d(1)) is None
