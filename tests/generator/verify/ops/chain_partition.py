"""Log-partition of linear chains of unequal lengths."""

import torch
from torch import nn

batch = 16
steps = 64
tags = 32


class Model(nn.Module):
    def __init__(self, tags: int) -> None:
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.start = nn.Parameter(torch.randn(tags) * 0.1)
        self.end = nn.Parameter(torch.randn(tags) * 0.1)

    def forward(self, emissions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        alpha = self.start + emissions[:, 0]
        for t in range(1, emissions.shape[1]):
            moved = torch.logsumexp(alpha[:, :, None] + self.transitions, dim=1) + emissions[:, t]
            alpha = torch.where((lengths > t)[:, None], moved, alpha)
        return torch.logsumexp(alpha + self.end, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, steps, tags), torch.randint(1, steps + 1, (batch,))]


def get_init_inputs() -> list[int]:
    return [tags]
