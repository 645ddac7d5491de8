"""GroupNorm followed by SiLU: the head of every residual block in the UNet of Stable Diffusion XL.

Sizes: config.json of stabilityai/stable-diffusion-xl-base-1.0, unet (block_out_channels[0] = 320,
norm_num_groups = 32, sample_size = 128): four images of 1024 x 1024 pixels, each with and without its
prompt, float16.
"""

import torch
from torch import nn

batch = 8
channels = 320
groups = 32
height = 128
width = 128


class Model(nn.Module):
    def __init__(self, groups: int, channels: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=1e-5, dtype=torch.float16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.silu(self.norm(x))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(batch, channels, height, width, dtype=torch.float16)]


def get_init_inputs() -> list[int]:
    return [groups, channels]
