"""Parts of different sizes side by side, borders, and what is done with them in the same kernel."""

import torch
from torch import nn

batch = 3
first = 4
second = 7
width = 6


class Model(nn.Module):
    def forward(self, x, y, z):
        joined = torch.relu(torch.cat((x, torch.exp(y), x, z[:, None], x), dim=1) + 1.0)
        framed = nn.functional.pad(torch.exp(z), (1, 2, 0, 1), value=-1.0) * 2.0
        return joined, framed, torch.softmax(nn.functional.pad(z, (2, 0)), dim=-1)


def get_inputs():
    return [
        torch.randn(batch, first, width), torch.randn(batch, second, width), torch.randn(batch, width)
    ]  # fmt: skip


def get_init_inputs():
    return []
