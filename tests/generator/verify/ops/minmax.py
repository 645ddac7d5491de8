"""Row minimum, row maximum and where the maximum stands: three outputs, one of them integers."""

import torch
from torch import nn

ROWS, COLUMNS = 4096, 2048


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        largest, place = x.max(dim=-1)
        return x.amin(dim=-1), largest, place


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
