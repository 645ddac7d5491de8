"""ListMLE: minus the log-likelihood of lists that are given in their order, each padded beyond its length."""

import torch
from torch import nn

LISTS, LENGTH = 24, 130


class Model(nn.Module):
    def forward(self, scores: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        inside = torch.arange(scores.shape[1], device=scores.device)[None, :] < lengths[:, None]
        kept = scores.masked_fill(~inside, float("-inf"))
        rest = torch.logcumsumexp(kept.flip(1), dim=1).flip(1)
        return torch.where(inside, rest - kept, torch.zeros_like(kept)).sum(dim=1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(LISTS, LENGTH), torch.randint(0, LENGTH + 1, (LISTS,))]


def get_init_inputs() -> list[object]:
    return []
