"""Counters in the middle of their lives, state that is nothing yet, and minus infinity in two at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from kbgen.generator.verify.inputs.draw import Draw
from kbgen.generator.verify.inputs.fresh import fresh_state
from kbgen.generator.verify.inputs.midway import midway
from kbgen.generator.verify.inputs.midway_each import midway_each
from kbgen.generator.verify.inputs.minus_infinite import minus_infinite_together
from kbgen.generator.verify.reference.oracle import Reference
from kbgen.generator.verify.stages.settings import settings
from kbgen.profiling.build import Input
from kbgen.profiling.op import load_op

from .calls import reference

OPS = Path(__file__).parent / "ops"


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def counted(op: str, place: int | str) -> list[int]:
    """Where the counter stands, a place among the inputs or a name among the buffers, in all the calls."""
    [small, *_] = settings(load_op(OPS / f"{op}.py"), "as-is", 1)
    cases = midway(Draw(draw()).case(0, small, "as shipped"), draw())
    given = (one.step.inputs if isinstance(place, int) else one.step.state for one in cases)
    return sorted(int(one[place]) for one in given)  # type: ignore[call-overload, index, arg-type]


@pytest.mark.parametrize(
    ("op", "place", "edges", "times"),
    [
        ("rate_by_step", "step", {999, 1000}, 6),
        ("merged_moments", "count", set[int](), 3),
        ("adam_in_place", 4, {(1 << 32) - 1}, 5),
    ],
)
def test_counters_stand_behind_dozens_of_calls_and_thousands(
    op: str, place: int | str, edges: set[int], times: int
) -> None:
    found = counted(op, place)
    assert len(found) == times
    assert edges <= {*found}
    assert any(1 << 10 <= one < 1 << 13 for one in found)
    assert any(1 << 30 <= one < 1 << 31 for one in found)


def test_they_stand_beside_what_they_are_compared_with_and_no_further_than_calls_lead_them() -> None:
    [within, *edges] = counted("loss_scale", "good")
    assert 32 <= within < 128
    assert edges == [198, 199]
    assert counted("rate_on_a_plateau", "bad") == [9, 10]


def test_places_and_lengths_are_no_counters() -> None:
    assert all(one < 64 for one in counted("cache_append", "place"))


def spread(op: str, name: str) -> list[set[int]]:
    """Where the elements of a buffer stand, in each call."""
    [small, *_] = settings(load_op(OPS / f"{op}.py"), "as-is", 1)
    cases = midway_each(Draw(draw()).case(0, small, "as shipped"), draw())
    return [{*one.step.state[name].tolist()} for one in cases]


def test_elements_of_a_counter_stand_apart_beside_what_they_are_asked_for() -> None:
    beside, lives = spread("frame_ring", "seen")
    assert {4, 5, 6, 9, 10, 11} <= beside
    assert len(lives) == 4
    assert any(1 << 30 <= one < 1 << 31 for one in lives)
    assert not spread("affine_quant", "zero_point")  # no call changes it
    [lives] = spread("expert_hits", "total")  # nothing is asked of it
    assert len(lives) == 4


def test_elements_that_turn_back_or_stay_stand_no_further() -> None:
    class Turns(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("at", torch.zeros(32, dtype=torch.long))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.at.copy_((self.at + 1) % 6)
            return x * self.at[:, None]

    [small, *_] = settings(load_op(OPS / "frame_ring.py"), "as-is", 1)
    case = Draw(draw()).case(0, small, "as shipped")
    inputs: list[Input] = [torch.randn(32, 4)]
    step = replace(case.step, inputs=inputs, state={"at": torch.zeros(32, dtype=torch.long)})
    setting = replace(small, reference=Reference(Turns(), "as-is"))
    [found] = midway_each(replace(case, setting=setting, step=step, inputs=inputs), draw())
    assert {*found.step.state["at"].tolist()} == {0, 1, 4, 5}


def test_what_is_kept_among_the_inputs_is_nothing_yet() -> None:
    def moved(x: torch.Tensor, square: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
        square.mul_(0.9).add_(x * x)
        step.add_(1)
        return x / (square.sqrt() + 1e-6)

    given = [torch.randn(4, 8), torch.rand(4, 8), torch.tensor([5])]
    found = fresh_state(reference(moved), given, {}, draw())
    assert found is not None
    x, square, step = found
    assert isinstance(x, torch.Tensor)
    assert torch.equal(x, given[0] * 2.0**-16)
    assert not any(map(bool, (*square.reshape(-1), step)))  # type: ignore[union-attr, misc]
    assert fresh_state(reference(lambda x, y: x / (y + 1e-6)), given[:2], {}, draw()) is None


def test_minus_infinity_stands_in_two_at_once() -> None:
    x, y = torch.randn(4, 64), torch.randn(4, 64)
    found = minus_infinite_together(reference(torch.logaddexp), [x, y], {}, draw())
    assert found is not None
    hidden = [one == -torch.inf for one in found]
    assert bool(hidden[0].any())
    assert torch.equal(*hidden)
    for other in (lambda x, y: (x - y).exp(), lambda x, y: torch.logaddexp(x, y).clamp(-9)):
        assert minus_infinite_together(reference(other), [x, y], {}, draw()) is None
