"""Unpacks fields of some bits, which may cross words, from rows of 32-bit words, and dequantises them."""

import torch
import torch.nn as nn
from torch.nn import functional

ROWS = 512
WORDS = 384
BITS = 6


class Model(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.bits = bits

    def forward(self, words, zero, scale):
        count = words.shape[1]
        fields = count * 32 // self.bits
        wide = words.to(torch.int64) & 0xFFFFFFFF
        pairs = wide | (functional.pad(wide[:, 1:], (0, 1)) << 32)
        offset = torch.arange(fields, device=words.device) * self.bits
        value = (pairs[:, offset // 32] >> (offset % 32)) & ((1 << self.bits) - 1)
        centred = value - zero.to(torch.int64)[:, None]
        return centred.to(scale.dtype) * scale[:, None]


def get_inputs():
    words = torch.randint(0, 2**31 - 1, (ROWS, WORDS), dtype=torch.int32)
    zero = torch.randint(0, 2**BITS, (ROWS,), dtype=torch.uint8)
    scale = torch.rand(ROWS, dtype=torch.float32).to(torch.float16) * 0.1 + 0.01
    return [words, zero, scale]


def get_init_inputs():
    return [BITS]
