"""The brightest value of a CT volume along depth, the first slice it stands in, and the mean of the ray."""

import torch
import torch.nn as nn

B, DEPTH, H, W = 2, 64, 96, 128


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, volume):
        value, place = torch.max(volume, dim=1)
        return value, place, volume.to(torch.float32).mean(dim=1)


def get_inputs():
    return [torch.randint(-1024, 3072, (B, DEPTH, H, W), dtype=torch.int16)]


def get_init_inputs():
    return []
