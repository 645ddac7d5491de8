"""A mosaic of scenes: each pixel from the valid one of highest priority, and its number."""

import torch
import torch.nn as nn

SCENES = 7
BANDS = 4
HEIGHT = 240
WIDTH = 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("nodata", torch.tensor([-9999.0], dtype=torch.bfloat16))

    def forward(self, scenes, valid, priority):
        none = torch.full((), -(2**40), dtype=torch.int64, device=valid.device)
        key = torch.where(valid, priority.to(torch.int64)[:, None, None], none)
        best = key.argmax(dim=0)
        covered = valid.any(dim=0)
        picked = torch.gather(scenes, 0, best[None, None].expand(1, *scenes.shape[1:]))[0]
        mosaic = torch.where(covered[None], picked, self.nodata)
        source = torch.where(covered, best, torch.full_like(best, -1)).to(torch.int32)
        return mosaic, source


def get_inputs():
    return [
        torch.randn(SCENES, BANDS, HEIGHT, WIDTH).to(torch.bfloat16),
        torch.rand(SCENES, HEIGHT, WIDTH) < 0.35,
        torch.randint(-5, 6, (SCENES,), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
