"""References of one function each, for tests of what is drawn for them."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from kbgen.generator.verify.reference.oracle import Reference


class Calls(nn.Module):
    """A model without weights whose forward is `compute`."""

    def __init__(self, compute: Callable[..., object]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.compute(*inputs)


def reference(compute: Callable[..., object]) -> Reference:
    return Reference(Calls(compute), "as-is")
