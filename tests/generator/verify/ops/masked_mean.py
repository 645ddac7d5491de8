"""Mean over the positions of each sequence that a mask keeps."""

import torch
from torch import nn

BATCH, LENGTH, WIDTH = 6, 20, 40


class Model(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        kept = mask.unsqueeze(-1).to(x.dtype)
        return (x * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1.0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(BATCH, LENGTH, WIDTH), torch.rand(BATCH, LENGTH) > 0.3]


def get_init_inputs() -> list[object]:
    return []
