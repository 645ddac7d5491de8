"""Triangle multiplication of AlphaFold's pairs, outgoing edges, channel by channel."""

import torch
from torch import nn

RESIDUES, CHANNELS = 384, 12


class Model(nn.Module):
    def forward(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return torch.einsum("ikc,jkc->ijc", left, right)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(RESIDUES, RESIDUES, CHANNELS) for _ in range(2)]


def get_init_inputs() -> list[object]:
    return []
