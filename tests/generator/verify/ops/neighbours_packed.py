"""Neighbours within a cutoff of every particle of a frame, packed in rising order, and their number."""

import torch
import torch.nn as nn

FRAMES = 2
PARTICLES = 640
ROOM = 32


class Model(nn.Module):
    def __init__(self, room):
        super().__init__()
        self.room = room

    def forward(self, near):
        slot = torch.cumsum(near.to(torch.int32), dim=2) - 1
        keep = near & (slot < self.room)
        width = near.shape[2]
        which = torch.arange(width, device=near.device, dtype=torch.int32).expand_as(slot)
        target = torch.where(keep, slot.to(torch.int64), self.room)
        packed = torch.full((*near.shape[:2], self.room + 1), -1, dtype=torch.int32, device=near.device)
        packed = packed.scatter(2, target, torch.where(keep, which, -1))
        return packed[:, :, : self.room], near.sum(2, dtype=torch.int32)


def get_inputs():
    return [torch.rand(FRAMES, PARTICLES, PARTICLES) < 0.06]


def get_init_inputs():
    return [ROOM]
