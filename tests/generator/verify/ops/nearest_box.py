"""The nearest axis-aligned box that each ray hits, by slabs, and the distance to it."""

import torch
from torch import nn

RAYS = 200
BOXES = 40


class Model(nn.Module):
    def forward(self, origin, inverse, low, high):
        t1 = (low.unsqueeze(0) - origin.unsqueeze(1)) * inverse.unsqueeze(1)
        t2 = (high.unsqueeze(0) - origin.unsqueeze(1)) * inverse.unsqueeze(1)
        near = torch.minimum(t1, t2).amax(dim=-1).clamp(min=0.0)
        far = torch.maximum(t1, t2).amin(dim=-1)
        hit = near <= far
        best, place = torch.where(hit, near, torch.full_like(near, float("inf"))).min(dim=1)
        found = hit.any(dim=1)
        return (
            torch.where(found, best, torch.full_like(best, -1.0)),
            torch.where(found, place, torch.full_like(place, -1)),
        )


def get_inputs():
    low = torch.randn(BOXES, 3)
    return [torch.rand(RAYS, 3) - 6.0, 1.0 / (torch.rand(RAYS, 3) + 0.5), low, low + torch.rand(BOXES, 3)]


def get_init_inputs():
    return []
