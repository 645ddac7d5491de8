"""Squared distance to the nearest set pixel within a disc of three, and counts of five bands of it."""

import torch
import torch.nn as nn
from torch.nn import functional

IMAGES = 3
HEIGHT = 320
WIDTH = 288


class Model(nn.Module):
    def forward(self, mask):
        images, height, width = mask.shape
        padded = functional.pad(mask, (3, 3, 3, 3), value=False)
        distance = torch.full((images, height, width), 16, dtype=torch.int32, device=mask.device)
        for dy in range(-3, 4):
            for dx in range(-3, 4):
                square = dy * dy + dx * dx
                if square <= 9:
                    seen = padded[:, 3 + dy : 3 + dy + height, 3 + dx : 3 + dx + width]
                    distance = torch.where(seen, distance.clamp(max=square), distance)
        band = (distance > 0).to(torch.int64) + (distance > 1) + (distance > 4) + (distance > 9)
        counts = torch.stack([(band == level).sum(dim=(1, 2)) for level in range(5)], dim=1)
        return distance, counts


def get_inputs():
    return [torch.rand(IMAGES, HEIGHT, WIDTH) < 0.04]


def get_init_inputs():
    return []
