"""Histogram equalisation of 8-bit images, in whole numbers; an image of one grey level stays as it is."""

import torch
from torch import nn

BATCH = 8
HEIGHT = 512
WIDTH = 512


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, img):
        b = img.shape[0]
        flat = img.reshape(b, -1).long()
        n = flat.shape[1]
        hist = torch.zeros(b, 256, dtype=torch.int64, device=img.device).scatter_add(
            1, flat, torch.ones_like(flat)
        )
        cdf = hist.cumsum(dim=1)
        first = torch.where(cdf > 0, cdf, n).min(dim=1, keepdim=True).values
        den = n - first
        safe = torch.where(den > 0, den, 1)
        lut = torch.div((cdf - first).clamp(min=0) * 255 + safe // 2, safe, rounding_mode="floor")
        same = torch.arange(256, device=img.device).expand_as(lut)
        lut = torch.where(den > 0, lut, same)
        return lut.gather(1, flat).to(torch.uint8).reshape(img.shape)


def get_inputs():
    return [torch.randint(0, 256, (BATCH, HEIGHT, WIDTH), dtype=torch.uint8)]


def get_init_inputs():
    return []
