"""Vector and matrix norms."""

import torch
from torch import nn

rows = 6
width = 31


class Model(nn.Module):
    def forward(self, x):
        return (
            torch.norm(x),
            x.abs().sum(-1),
            torch.linalg.vector_norm(x, 1, dim=-1),
            torch.linalg.vector_norm(x, float("inf"), dim=-1),
            torch.linalg.vector_norm(x, float("-inf"), dim=-1),
            torch.linalg.vector_norm(x, 0, dim=-1),
            torch.linalg.matrix_norm(x),
            torch.linalg.norm(x),
            x.norm(p=2, dim=1, keepdim=True),
            torch.linalg.vector_norm(x, 3, dim=-1),
        )


def get_inputs():
    return [torch.randn(rows, width) * 3]


def get_init_inputs():
    return []
