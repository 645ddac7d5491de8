"""Parameters far out of which a sigmoid, an exponential and the like is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from kbgen.generator.verify.inputs.bent_weights import BENT
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.cases import plan
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.op import load_op

OPS = Path(__file__).parent / "ops"
MIXED, UP, DOWN = BENT
ROWS = torch.randn(5, 24, generator=torch.Generator().manual_seed(1))


class Weighed(nn.Module):
    """Something of `function`, of a weight and of what goes in."""

    def __init__(
        self, function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], weight: torch.Tensor
    ) -> None:
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(self.weight, x)


def drawn(
    family: str,
    function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    weight: torch.Tensor,
) -> torch.Tensor | None:
    model = Weighed(function, weight)
    found = BENT[family](
        Reference(model, "as-is"), [ROWS], model.state_dict(), torch.Generator().manual_seed(0)
    )
    return None if found is None else found[1]["weight"]


def mixed_by(weight: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(weight) * x + torch.sigmoid(-0.5 * weight) * x.flip(0)


def test_half_of_what_a_sigmoid_is_taken_of_is_far_up_and_half_far_down() -> None:
    weight = drawn(MIXED, mixed_by, torch.randn(24))
    assert weight is not None
    assert int((weight >= 8).sum()) == int((weight <= -12).sum()) == 12
    assert drawn(UP, mixed_by, torch.randn(24)) is None


def test_a_single_number_is_up_once_and_down_once() -> None:
    up, down = drawn(UP, mixed_by, torch.randn(1)), drawn(DOWN, mixed_by, torch.randn(1))
    assert up is not None
    assert down is not None
    assert float(up) >= 8
    assert float(down) <= -12
    assert drawn(MIXED, mixed_by, torch.randn(1)) is None


def test_what_is_added_or_multiplied_too_stays() -> None:
    assert drawn(MIXED, lambda weight, x: weight * x, torch.randn(24)) is None
    assert drawn(MIXED, lambda weight, x: weight.sigmoid() * x + weight, torch.randn(24)) is None
    assert drawn(MIXED, lambda weight, x: (weight + x).sigmoid(), torch.randn(24)) is None


def test_none_is_up_where_the_reference_loses_its_digits_by_it() -> None:
    weight = drawn(MIXED, lambda weight, x: (weight.exp() * 1e6 * x).sin(), torch.randn(24))
    assert weight is None or bool((weight <= -12).all())


def test_decays_are_far_out_behind_the_most_steps_too() -> None:
    cases = plan(settings(load_op(OPS / "ema_scan.py"), "as-is", 1), 1)
    steps = {case.step.inputs[0].shape[1] for case in cases if case.family == MIXED}  # type: ignore[union-attr]
    assert min(steps) < 16
    assert max(steps) > 256


def test_counters_beyond_32_bits_are_asked_at_odd_sizes() -> None:
    cases = plan(settings(load_op(OPS / "ring_cache_sink_decode.py"), "as-is", 1), 1)
    found = {case.setting.name for case in cases if case.family == "counters beyond 32 bits"}
    assert found == {"small", "odd"}
