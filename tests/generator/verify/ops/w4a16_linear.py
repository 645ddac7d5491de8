"""Linear layer on 4-bit weights packed eight to an int32 along K, one scale per group of K (offset 8)."""

import torch
from torch import nn

TOKENS = 128
IN_GROUPS = 32
GROUP = 128
OUT = 4096


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, qweight, scales):
        k = x.shape[-1]
        shifts = torch.arange(0, 32, 4, device=x.device, dtype=torch.int32)
        nib = (qweight.unsqueeze(1) >> shifts[None, :, None]) & 15
        w = (nib.reshape(k, -1) - 8).float()
        w = w * scales.float().repeat_interleave(k // scales.shape[0], 0)
        return torch.matmul(x.float(), w).to(x.dtype)


def get_inputs():
    return [
        torch.randn(TOKENS, IN_GROUPS * GROUP).half(),
        torch.randint(0, 2**31 - 1, (IN_GROUPS * GROUP // 8, OUT), dtype=torch.int32),
        (0.002 + 0.01 * torch.rand(IN_GROUPS, OUT)).half(),
    ]


def get_init_inputs():
    return []
