"""Inputs beside an epsilon, scores left out together, weights beside scores, and NaN that is compared."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.added_weights import beside_scores
from kbgen.generator.verify.inputs.epsilons import beside_an_epsilon
from kbgen.generator.verify.inputs.idle import idle_nan
from kbgen.generator.verify.inputs.left_out_late import left_out_late
from kbgen.generator.verify.reference.oracle import Reference

Forward = Callable[..., torch.Tensor]


class Plain(nn.Module):
    def __init__(self, forward: Forward) -> None:
        super().__init__()
        self.function = forward

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs)


def reference(forward: Forward) -> Reference:
    return Reference(Plain(forward), "as-is")


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def lengths_added(x: torch.Tensor) -> torch.Tensor:
    return x / (x.norm(dim=-1, keepdim=True) + 1e-6)


def lengths_squared(x: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def lengths_at_least(x: torch.Tensor) -> torch.Tensor:
    return x / x.norm(dim=-1, keepdim=True).clamp_min(1e-6)


@pytest.mark.parametrize("forward", [lengths_added, lengths_squared, lengths_at_least])
def test_inputs_are_as_small_as_an_epsilon(forward: Forward) -> None:
    found = beside_an_epsilon(reference(forward), [torch.randn(6, 40)], {}, generator())
    assert found is not None
    assert isinstance(found[0], torch.Tensor)
    length = found[0].norm(dim=-1).median()
    beside = length if forward is not lengths_squared else length.square() / 40
    assert 0.3e-6 < float(beside) < 3e-6


@pytest.mark.parametrize(
    "forward", [lambda x: x.exp() + 1e-6, lambda x: x.relu() + 2.0, lambda x: (x + 1e-6).expm1()]
)
def test_where_none_counts_or_honest_kernels_cancel_there_is_no_such_call(forward: Forward) -> None:
    assert beside_an_epsilon(reference(forward), [torch.randn(6, 40)], {}, generator()) is None


def test_the_later_half_of_what_is_taken_together_is_left_out() -> None:
    def of_maps(x: torch.Tensor) -> torch.Tensor:
        return x.flatten(1).softmax(-1)

    maps = left_out_late(reference(of_maps), [torch.randn(3, 8, 8)], {}, generator())
    rows = left_out_late(reference(lambda x: x.softmax(-1)), [torch.randn(3, 8, 8)], {}, generator())
    assert maps is not None
    assert rows is not None
    whole, halves = maps[0], rows[0]
    assert isinstance(whole, torch.Tensor)
    assert isinstance(halves, torch.Tensor)
    assert whole[:, 4:].isinf().all()
    assert whole[:, :4].isfinite().all()
    assert halves[..., 4:].isinf().all()
    assert halves[..., :4].isfinite().all()
    assert left_out_late(reference(torch.relu), [torch.randn(3, 8)], {}, generator()) is None


def test_weights_beside_scores_are_known_though_they_stand_along_an_axis() -> None:
    class Sinks(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.sinks, self.scale = nn.Parameter(torch.randn(3)), nn.Parameter(torch.randn(8))

        def forward(self, scores: torch.Tensor) -> torch.Tensor:
            sinks = self.sinks[:, None, None].expand(3, 5, 1)
            return torch.cat([scores * self.scale, sinks], -1).softmax(-1)

    model = Sinks()
    state = dict(model.state_dict())
    found = beside_scores(Reference(model, "as-is"), [torch.randn(3, 5, 8)], state)
    assert found is not None
    assert (found["sinks"] < -(2.0**40)).all()
    assert torch.equal(found["scale"], state["scale"])
    halves = {name: one.half() for name, one in state.items()}
    found = beside_scores(Reference(model.half(), "as-is"), [torch.randn(3, 5, 8).half()], halves)
    assert found is not None
    assert (found["sinks"] == -32752).all()


def test_nothing_is_left_out_by_what_a_comparison_makes_of_nan() -> None:
    def nearest(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        return torch.where(low <= high, low, torch.full_like(low, torch.inf)).amin(-1)

    def masked(values: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
        return values.masked_fill(~keep, 0.0).sum(-1)

    low = torch.randn(6, 40)
    assert idle_nan(reference(nearest), [low, low + 1], {}, generator()) is None
    keep = torch.rand(6, 40) < 0.5
    assert idle_nan(reference(masked), [low, keep], {}, generator()) is not None
