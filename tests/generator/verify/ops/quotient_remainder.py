"""Product of two rows: that of an id's quotient, and that of its remainder."""

import torch
from torch import nn

batch = 128
fields = 64
vocabulary = 40_000_000
buckets = 4096
dim = 64


class Model(nn.Module):
    def __init__(self, vocabulary: int, buckets: int, dim: int) -> None:
        super().__init__()
        self.buckets = buckets
        self.quotient = nn.Parameter(torch.randn((vocabulary + buckets - 1) // buckets, dim))
        self.remainder = nn.Parameter(torch.randn(buckets, dim))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.quotient[ids // self.buckets] * self.remainder[ids % self.buckets]


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, vocabulary, (batch, fields))]


def get_init_inputs() -> list[int]:
    return [vocabulary, buckets, dim]
