import torch
from torch import nn

IMAGES, HEIGHT, WIDTH = 64, 720, 96


class Model(nn.Module):
    def forward(self, x):
        return torch.rot90(x, 1, (1, 2)).contiguous()


def get_inputs():
    return [torch.randn(IMAGES, HEIGHT, WIDTH)]


def get_init_inputs():
    return []
