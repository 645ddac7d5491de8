"""Asymmetric per-row dequantisation of uint8 weights."""

import torch
from torch import nn

rows = 8192
cols = 8192


class Model(nn.Module):
    def forward(self, q: torch.Tensor, zero: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return (q.float() - zero.float()[:, None]) * scale[:, None]


def get_inputs():
    q = (128.0 + 20.0 * torch.randn(rows, cols)).round().clamp(0, 255).to(torch.uint8)
    return [q, torch.randint(112, 144, (rows,)).to(torch.uint8), 0.01 * torch.rand(rows) + 0.001]


def get_init_inputs():
    return []
