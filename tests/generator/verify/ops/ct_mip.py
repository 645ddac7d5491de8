import torch
import torch.nn as nn

BATCH = 4
DEPTH = 64
HEIGHT = 96
WIDTH = 128


class Model(nn.Module):
    """Projects CT volumes of uneven depth: windowed maximum, the first slice it stands in, and the mean."""

    def __init__(self):
        super().__init__()
        self.register_buffer("level", torch.tensor([-600.0, 40.0, 480.0]))
        self.register_buffer("width", torch.tensor([1500.0, 400.0, 2500.0]))

    def forward(self, volume, slices):
        place = torch.arange(volume.shape[1], device=volume.device)
        valid = (place[None, :] < slices[:, None])[:, :, None, None]
        kept = torch.where(valid, volume, torch.full_like(volume, -32768))
        peak, where = kept.max(dim=1)
        values = torch.where(valid, volume, torch.zeros_like(volume)).to(self.level.dtype)
        mean = values.sum(dim=1) / slices.clamp(min=1).to(self.level.dtype)[:, None, None]
        shade = (peak.to(self.level.dtype)[:, None] - self.level[None, :, None, None]) / self.width[
            None, :, None, None
        ] + 0.5
        return shade.clamp(0.0, 1.0).half(), where, mean


def get_inputs():
    volume = torch.randint(-1024, 3072, (BATCH, DEPTH, HEIGHT, WIDTH), dtype=torch.int16)
    slices = torch.randint(1, DEPTH + 1, (BATCH,), dtype=torch.int32)
    return [volume, slices]


def get_init_inputs():
    return []
