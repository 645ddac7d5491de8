"""For each token, how many before it go to the same expert."""

import torch
from torch import nn
from torch.nn import functional

TOKENS, EXPERTS = 512, 4


class Model(nn.Module):
    def forward(self, experts: torch.Tensor) -> torch.Tensor:
        before = functional.one_hot(experts, EXPERTS).cumsum(0) - 1
        return before.gather(1, experts[:, None])[:, 0]


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, EXPERTS, (TOKENS,))]


def get_init_inputs() -> list[object]:
    return []
