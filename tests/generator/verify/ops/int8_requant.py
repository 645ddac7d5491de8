"""Products of bytes summed in int32, a multiplier per channel with a rounding shift, bytes out."""

import torch
from torch import nn

M, K, N = 128, 512, 1024


class Model(nn.Module):
    def __init__(self, k, n, shift):
        super().__init__()
        self.shift = shift
        self.register_buffer("weight", torch.randint(-127, 128, (n, k)).to(torch.int8))
        self.register_buffer("bias", torch.randint(-2000, 2000, (n,), dtype=torch.int32))
        self.register_buffer("mult", torch.randint(500, 1500, (n,), dtype=torch.int32))

    def forward(self, x):
        acc = torch.matmul(x.long(), self.weight.long().t()) + self.bias.long()
        y = (acc * self.mult.long() + (1 << (self.shift - 1))) >> self.shift
        return y.clamp(-128, 127).to(torch.int8)


def get_inputs():
    return [torch.randint(-127, 128, (M, K)).to(torch.int8)]


def get_init_inputs():
    return [K, N, 21]
