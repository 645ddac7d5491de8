"""Running sums and products: along rows and columns, from the end, exclusive, masked, of integers."""

import torch
from torch import nn

batch = 3
width = 37
depth = 5


class Model(nn.Module):
    def forward(self, x, mask, whole, deep):
        before = torch.cumsum(x.narrow(1, 0, x.size(1) - 1), dim=1)
        return (
            torch.cumsum(torch.relu(x) * mask, dim=1) * 0.5,
            torch.cumsum(x.flip(1), dim=1).flip(1),
            torch.cat((torch.zeros_like(x.select(1, 0).unsqueeze(1)), before), dim=1),
            torch.cumprod(deep + 1.0, dim=1),
            torch.cumsum(whole, dim=-1),
            torch.cumsum(torch.softmax(x, dim=1), dim=1),
        )


def get_inputs():
    return [
        torch.randn(batch, width),
        torch.randint(0, 2, (batch, width)).bool(),
        torch.randint(-9, 9, (batch, width), dtype=torch.int32),
        torch.randn(batch, depth, width) * 0.3,
    ]


def get_init_inputs():
    return []
