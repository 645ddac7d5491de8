"""Unpacks int4 weights, two a byte, and dequantises them with a zero point and a scale for every group."""

import torch
import torch.nn as nn

N, GROUPS, GROUP = 48, 6, 24


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, packed, scale, zero):
        low = packed & 15
        high = packed >> 4
        q = torch.stack((low, high), dim=-1).reshape(packed.shape[0], -1)
        q = q.reshape(packed.shape[0], scale.shape[1], -1).to(torch.float16)
        w = (q - zero.to(torch.float16)[:, :, None]) * scale[:, :, None]
        return w.reshape(packed.shape[0], -1)


def get_inputs():
    return [
        torch.randint(0, 256, (N, GROUPS * GROUP // 2), dtype=torch.uint8),
        torch.rand(N, GROUPS, dtype=torch.float16) * 0.1 + 0.01,
        torch.randint(0, 16, (N, GROUPS), dtype=torch.uint8),
    ]


def get_init_inputs():
    return []
