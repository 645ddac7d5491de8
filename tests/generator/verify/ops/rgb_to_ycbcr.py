"""Fixed-point conversion of interleaved 8-bit RGB images to planar full-range YCbCr."""

import torch
import torch.nn as nn

BATCH = 16
HEIGHT = 480
WIDTH = 640


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, image):
        rgb = image.to(torch.int32)
        r, g, b = rgb[..., 0], rgb[..., 1], rgb[..., 2]
        y = (77 * r + 150 * g + 29 * b + 128) >> 8
        cb = ((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128
        cr = ((128 * r - 107 * g - 21 * b + 128) >> 8) + 128
        return torch.stack([y, cb, cr], dim=1).clamp(0, 255).to(torch.uint8)


def get_inputs():
    return [torch.randint(0, 256, (BATCH, HEIGHT, WIDTH, 3), dtype=torch.uint8)]


def get_init_inputs():
    return []
