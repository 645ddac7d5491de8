"""What goes in beside added weights: rivals that stay near, and a place that only its weight brings up."""

from __future__ import annotations

import torch
from torch import nn

from kbgen.generator.verify.inputs.with_weights import ALONE, WITH_WEIGHTS
from kbgen.generator.verify.reference.oracle import Reference

LOGITS = torch.randn(5, 24)
BESIDE, UP = "near rivals without added weights", "brought up by added weights"


class Router(nn.Module):
    """Places by the sum of what goes in and a weight, and what goes in there, weighed."""

    def __init__(self, count: int, weigh: bool = True) -> None:
        super().__init__()
        self.bias, self.count, self.weigh = nn.Parameter(torch.randn(24)), count, weigh

    def forward(self, logits: torch.Tensor) -> tuple[torch.Tensor, ...]:
        places = (logits + self.bias).topk(self.count, dim=-1).indices
        found = logits.gather(-1, places)
        return (found.softmax(-1), places) if self.weigh else (found,)


def drawn(family: str, model: nn.Module) -> tuple[torch.Tensor, dict[str, torch.Tensor]] | None:
    state = {name: one.clone() for name, one in model.state_dict().items()}
    generator = torch.Generator().manual_seed(0)
    found = WITH_WEIGHTS[family](Reference(model, "as-is"), [LOGITS], state, generator)
    if found is None:
        return None
    (logits,), changed = found
    assert isinstance(logits, torch.Tensor)
    return logits, changed


def test_rivals_are_near_in_the_sums_too() -> None:
    found = drawn(BESIDE, Router(4))
    assert found is not None
    logits, state = found
    sums = (logits + state["bias"]).sort(-1).values
    gaps = sums.diff() / sums[:, 1:].abs()
    assert not state["bias"].any()
    assert float(gaps.abs().min()) < 2.0**-9
    assert drawn(BESIDE, Router(4, weigh=False)) is None  # no places come out
    assert drawn(BESIDE, nn.Softmax(-1)) is None  # nothing is added


def test_a_weight_brings_a_place_up_from_far_below() -> None:
    found = drawn(UP, Router(4))
    assert found is not None
    logits, state = found
    place = int(state["bias"].argmax())
    first = (logits + state["bias"]).topk(4).indices[:, 0]
    assert first.tolist() == [place] * len(LOGITS)
    assert torch.all(logits.topk(23).indices != place)
    rest = torch.arange(24) != place
    assert torch.equal(logits[:, rest], LOGITS[:, rest])
    assert not torch.equal(LOGITS, logits)
    assert drawn(UP, Router(4, weigh=False)) is None  # no exponentials


def test_weights_bring_all_places_but_one_up_and_exponentials_of_them_are_nothing_among_all() -> None:
    found = drawn("all but one brought up by added weights", Router(4))
    assert found is not None
    logits, state = found
    chosen = (logits + state["bias"]).topk(4).indices
    assert not logits.softmax(-1).gather(-1, chosen).any()
    assert logits.gather(-1, chosen).softmax(-1).all()


def test_nothing_goes_in_beside_weights_alone() -> None:
    class Lowered(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.shift = nn.Parameter(torch.randn(24))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.gelu(x + self.shift).amax(-1)

    found = drawn(ALONE, Lowered())
    assert found is not None
    logits, state = found
    assert not logits.any()
    assert float(state["shift"].max()) < 0
