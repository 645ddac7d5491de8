"""Symmetric contrastive loss with a learned log temperature."""

import torch
from torch import nn

pairs = 256
dim = 256


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor([2.6592]))

    def forward(self, image: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        logits = torch.exp(self.log_scale) * (image @ text.t())
        right = torch.arange(image.shape[0], device=image.device)
        return (
            nn.functional.cross_entropy(logits, right) + nn.functional.cross_entropy(logits.t(), right)
        ) / 2


def get_inputs() -> list[torch.Tensor]:
    return [nn.functional.normalize(torch.randn(pairs, dim), dim=-1) for _ in range(2)]


def get_init_inputs() -> list[int]:
    return []
