import torch
from torch import nn

BATCH = 8
CHANNELS = 64
GROUPS = 8
LENGTH = 256
EPS = 1e-5


class Model(nn.Module):
    """Group normalisation over (channels of a group, time), then SiLU (diffusion blocks)."""

    def __init__(self, channels, groups):
        super().__init__()
        self.groups = groups
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        b, c, t = x.shape
        g = x.reshape(b, self.groups, -1)
        g = g - g.mean(dim=-1, keepdim=True)
        g = g / torch.sqrt((g * g).mean(dim=-1, keepdim=True) + EPS)
        y = g.reshape(b, c, t) * self.weight[:, None] + self.bias[:, None]
        return y * torch.sigmoid(y)


def get_inputs():
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs():
    return [CHANNELS, GROUPS]
