"""Colour conversion from RGB planes to hue (in turns), saturation and value."""

import torch
import torch.nn as nn

B, H, W = 3, 37, 59


class Model(nn.Module):
    def forward(self, x):
        r, g, b = x.unbind(1)
        mx = torch.maximum(torch.maximum(r, g), b)
        mn = torch.minimum(torch.minimum(r, g), b)
        delta = mx - mn
        safe = torch.where(delta == 0, torch.ones_like(delta), delta)
        h = torch.where(mx == r, (g - b) / safe, torch.where(mx == g, 2 + (b - r) / safe, 4 + (r - g) / safe))
        h = torch.where(h < 0, h + 6, h) / 6
        s = torch.where(mx == 0, torch.zeros_like(mx), delta / torch.where(mx == 0, torch.ones_like(mx), mx))
        return torch.stack([h, s, mx], 1)


def get_inputs():
    return [torch.rand(B, 3, H, W)]


def get_init_inputs():
    return []
