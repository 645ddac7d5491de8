import torch
from torch import nn

TOKENS = 96
DIM = 512
OUT = 64


class Model(nn.Module):
    """W8A8 product with a scale for each token and each output."""

    def forward(self, a, b, scale_a, scale_b):
        acc = a.to(torch.int32) @ b.to(torch.int32).t()
        return acc.to(torch.float32) * scale_a[:, None] * scale_b[None, :]


def get_inputs():
    return [
        torch.randint(-128, 128, (TOKENS, DIM), dtype=torch.int8),
        torch.randint(-128, 128, (OUT, DIM), dtype=torch.int8),
        torch.rand(TOKENS) * 0.01,
        torch.rand(OUT) * 0.01,
    ]


def get_init_inputs():
    return []
