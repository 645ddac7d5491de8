import torch
import torch.nn as nn

BATCH = 2
CHANNELS = 3
HEIGHT = 128
WIDTH = 224


class Model(nn.Module):
    """Warps a frame along a flow field (bilinear), with the mean absolute residual to the next frame."""

    def __init__(self):
        super().__init__()

    def forward(self, frame, flow, following):
        b, c, h, w = frame.shape
        x = torch.arange(w, device=frame.device, dtype=flow.dtype)[None, None, :] + flow[:, 0]
        y = torch.arange(h, device=frame.device, dtype=flow.dtype)[None, :, None] + flow[:, 1]
        x0, y0 = torch.floor(x), torch.floor(y)
        fx, fy = x - x0, y - y0
        plane = frame.reshape(b, c, h * w)
        warped = torch.zeros_like(frame)
        for dy in (0, 1):
            for dx in (0, 1):
                xi, yi = x0 + dx, y0 + dy
                weight = (fx if dx else 1 - fx) * (fy if dy else 1 - fy)
                inside = (xi >= 0) & (xi <= w - 1) & (yi >= 0) & (yi <= h - 1)
                at = yi.clamp(0, h - 1).long() * w + xi.clamp(0, w - 1).long()
                corner = torch.gather(plane, 2, at.reshape(b, 1, h * w).expand(b, c, h * w)).reshape(
                    b, c, h, w
                )
                warped = warped + torch.where(
                    inside[:, None], corner * weight[:, None], torch.zeros_like(corner)
                )
        residual = (warped - following).abs().mean(dim=(1, 2, 3))
        return warped, residual


def get_inputs():
    frame = torch.rand(BATCH, CHANNELS, HEIGHT, WIDTH)
    flow = torch.rand(BATCH, 2, HEIGHT, WIDTH) * 12.0
    following = torch.rand(BATCH, CHANNELS, HEIGHT, WIDTH)
    return [frame, flow, following]


def get_init_inputs():
    return []
