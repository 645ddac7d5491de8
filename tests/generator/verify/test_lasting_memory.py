"""How far back a recurrence remembers: gates that hardly open, and a beginning asked for at the end."""

import pytest
import torch
from torch import nn

from kbgen.generator.verify.inputs.lasting_memory import ends_apart, lingering
from kbgen.generator.verify.reference.oracle import Reference

from .calls import reference

Q, V = torch.randn(2, 40, 4), torch.randn(2, 40, 4)
GATE, VALUE = torch.randn(2, 40, 8), torch.randn(2, 40, 8)


def draw() -> torch.Generator:
    return torch.Generator().manual_seed(1)


class Fading(nn.Module):
    """Each place adds up what was there before it, by half as much a step: by less in bfloat16."""

    def __init__(self, decay: float) -> None:
        super().__init__()
        self.decay = decay

    def forward(self, q: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        ago = torch.arange(q.shape[1])[:, None] - torch.arange(q.shape[1])
        weight = torch.where(ago >= 0, self.decay ** ago.clamp(min=0), 0.0)
        return ((q @ v.transpose(1, 2)) * weight) @ v


def gated(gate: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    state, kept = torch.zeros_like(value[:, 0]), []
    for step in range(value.shape[1]):
        opened = torch.sigmoid(gate[:, step])
        state = (1 - opened) * state + opened * value[:, step]
        kept.append(state)
    return torch.stack(kept, 1)


def test_what_is_asked_at_the_end_stands_at_the_beginning() -> None:
    fading = Reference(Fading(0.5), "as-is")
    found = ends_apart(1, fading, [Q, V], {}, draw())
    assert found is not None
    end, early = (torch.as_tensor(one) for one in found)
    assert torch.equal(early[:, :5], V[:, :5])
    assert not early[:, 5:].any()
    assert torch.equal(end[:, 35:], Q[:, 35:])
    assert not end[:, :35].any()
    assert ends_apart(0, fading, [Q, V], {}, draw()) is None  # nothing comes back from what is later


def test_what_fades_soon_is_asked_sooner() -> None:
    found = ends_apart(1, Reference(Fading(0.1), "as-is"), [Q, V], {}, draw())
    assert found is not None
    end = torch.as_tensor(found[0])
    assert torch.equal(end[:, 20:25], Q[:, 20:25])
    assert not end[:, 25:].any()


def test_nothing_is_asked_of_what_fades_at_once() -> None:
    assert ends_apart(1, Reference(Fading(1e-9), "as-is"), [Q, V], {}, draw()) is None


def test_rows_that_nobody_adds_up_have_no_ends() -> None:
    assert ends_apart(0, reference(lambda one, other: one * other), [Q, V], {}, draw()) is None


def test_nor_has_what_takes_shares_of_what_is_left() -> None:
    assert (
        ends_apart(1, reference(lambda q, v: (q @ v.transpose(1, 2)).softmax(-1) @ v), [Q, V], {}, draw())
        is None
    )


def test_a_gate_hardly_opens_or_hardly_closes_throughout_a_column() -> None:
    found = lingering(0, reference(gated), [GATE, VALUE], {}, draw())
    assert found is not None
    gate = torch.as_tensor(found[0])
    assert (gate.abs() >= 7).all()
    assert (gate.abs() <= 9).all()
    assert (gate.sign() == gate.sign()[:1, :1]).all()
    assert int((gate[0, 0] > 0).sum()) == gate.shape[-1] // 2
    value = torch.as_tensor(found[1])
    assert torch.equal(value, VALUE[:, :1].expand_as(VALUE))


def test_a_state_kept_in_half_precision_stands_still_then() -> None:
    given = [torch.randn(2, 200, 8), torch.rand(2, 200, 8) + 1]
    found = lingering(0, reference(gated), [*given], {}, draw())
    assert found is not None
    gate, value = (torch.as_tensor(one) for one in found)
    state = exact = torch.ones_like(value[:, 0])
    for step in range(value.shape[1]):
        opened = torch.sigmoid(gate[:, step])
        exact = (1 - opened) * exact + opened * value[:, step]
        state = ((1 - opened) * state + opened * value[:, step]).half().float()
    assert float((state - exact).norm() / exact.norm()) > 2e-3


@pytest.mark.parametrize("op", [lambda gate, value: gate + value, lambda gate, value: gate * value])
def test_what_takes_no_exponential_has_no_gates(op: object) -> None:
    assert lingering(0, reference(op), [GATE, VALUE], {}, draw()) is None  # type: ignore[arg-type]
