"""Row sums of a product of matrices: the sum can be taken before the product."""

import torch
from torch import nn

ROWS, DEPTH, COLUMNS = 96, 64, 128


class Model(nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b).sum(dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, DEPTH), torch.randn(DEPTH, COLUMNS)]


def get_init_inputs() -> list[object]:
    return []
