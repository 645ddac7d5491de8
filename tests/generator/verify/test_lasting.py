"""Buffers outside the state_dict count as state where a call changes them."""

import torch
from torch import nn

from kbgen.generator.verify.process.lasting import mark, passing
from kbgen.generator.verify.process.owned import by_place, owned


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("peak", torch.zeros(2), persistent=False)
        self.register_buffer("kept", torch.zeros(2))


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.register_buffer("table", torch.ones(3), persistent=False)


def test_buffers_enter_the_state_dict_and_leave_it() -> None:
    model = Outer()
    assert passing(model) == {"inner.peak", "table"}
    mark(model, {"inner.peak"}, True)
    assert passing(model) == {"table"}
    assert set(model.state_dict()) == {"inner.kept", "inner.peak"}
    mark(model, {"inner.peak"}, False)
    assert passing(model) == {"inner.peak", "table"}


def test_an_argument_called_like_a_weight_is_told_from_it() -> None:
    x, weight = torch.ones(1), torch.zeros(1)
    tensors = owned([3, x], ["count", "weight"], {"weight": weight})
    assert list(tensors) == ["weight (input)", "weight"]
    changed = {"weight (input)": x, "weight": weight}
    assert by_place([3, x], tensors, changed) == {1: x}
    assert list(changed) == ["weight"]
