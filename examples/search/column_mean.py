"""The mean over the tokens of a sequence, as sentence embeddings take it: neighbours in memory stay apart."""

import torch
from torch import nn

batch = 64
tokens = 512
width = 1024


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, tokens, width)]


def get_init_inputs() -> list[int]:
    return []
