"""A copied model's functions reach the copy's submodules, not the original's."""

import torch
from torch import nn

from kbgen.generator.verify.reference.model_copy import copied_model


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)
        inner = self.inner
        self.twice = lambda x: inner(inner(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.twice(x)
        return result


def test_a_kept_function_closes_over_the_copy() -> None:
    block, x = Block(), torch.ones(1, 2)
    before = block(x)
    twin = copied_model(block)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.zero_()
    assert not twin(x).any()
    assert torch.equal(block(x), before)
