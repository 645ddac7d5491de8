"""A recogniser's front end: a convolution of stride two, ReLU, frames behind a length put to zero."""

import torch
import torch.nn as nn

BATCH = 4
FRAMES = 160
BANDS = 80
CHANNELS = 32


class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(1, channels, kernel_size=3, stride=2)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor):
        y = torch.relu(self.conv(x[:, None]))
        y = y.permute(0, 2, 1, 3).flatten(2)
        left = torch.clamp(torch.div(lengths - 1, 2, rounding_mode="floor"), min=0)
        place = torch.arange(y.shape[1], device=x.device)
        y = y.masked_fill((place[None, :] >= left[:, None])[:, :, None], 0.0)
        return y, left


def get_inputs():
    return [torch.randn(BATCH, FRAMES, BANDS), torch.randint(0, FRAMES + 1, (BATCH,))]


def get_init_inputs():
    return [CHANNELS]
