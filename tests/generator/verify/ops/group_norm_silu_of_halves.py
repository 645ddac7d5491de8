"""Group norm over channels-last float16 images, then SiLU."""

import torch
from torch import nn

images, channels, height, width, groups = 2, 32, 12, 14, 4
EPS = 1e-5


class Model(nn.Module):
    def __init__(self, groups, channels, eps):
        super().__init__()
        self.groups, self.eps = groups, eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        y = nn.functional.group_norm(
            x.float().permute(0, 3, 1, 2), self.groups, self.weight, self.bias, self.eps
        )
        return nn.functional.silu(y).permute(0, 2, 3, 1).contiguous().to(x.dtype)


def get_inputs():
    return [torch.randn(images, height, width, channels).half()]


def get_init_inputs():
    return [groups, channels, EPS]
