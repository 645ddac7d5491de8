import torch
import torch.nn as nn

BATCH = 4
CHANNELS = 3
HEIGHT = 192
WIDTH = 256


class Model(nn.Module):
    """Lays four images out two by two, each mirrored or not, and cuts a window of one image's size out."""

    def __init__(self):
        super().__init__()

    def forward(self, tiles, origin, mirror):
        b, _, _, h, w = tiles.shape
        y = torch.arange(h, device=tiles.device)[None, :, None] + origin[:, 0, None, None]
        x = torch.arange(w, device=tiles.device)[None, None, :] + origin[:, 1, None, None]
        y, x = torch.broadcast_tensors(y, x)
        tile = 2 * (y >= h).long() + (x >= w).long()
        y = torch.where(y >= h, y - h, y)
        x = torch.where(x >= w, x - w, x)
        sample = torch.arange(b, device=tiles.device)[:, None, None].expand_as(tile)
        x = torch.where(mirror[sample, tile], w - 1 - x, x)
        return tiles[sample, tile, :, y, x].permute(0, 3, 1, 2).contiguous()


def get_inputs():
    tiles = torch.randn(BATCH, 4, CHANNELS, HEIGHT, WIDTH, dtype=torch.float16)
    origin = torch.stack(
        [torch.randint(0, HEIGHT + 1, (BATCH,)), torch.randint(0, WIDTH + 1, (BATCH,))], dim=1
    )
    mirror = torch.rand(BATCH, 4) < 0.5
    return [tiles, origin, mirror]


def get_init_inputs():
    return []
