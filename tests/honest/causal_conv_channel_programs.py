"""One program per channel and block of time; the first one also writes the new state.

op: conv_with_state
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def at(x, s, row, t, T, S):
    a = tl.load(x + row * T + t, mask=(t >= 0) & (t < T), other=0.0)
    b = tl.load(s + row * S + t + S, mask=(t < 0) & (t >= -S), other=0.0)
    return tl.where(t < 0, b, a)


@triton.jit
def conv_kernel(x, s, w, bias, y, out, C, T, K, BLOCK: tl.constexpr, BS: tl.constexpr):
    row = tl.program_id(0)
    c = row % C
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32) + tl.load(bias + c)
    for k in range(0, K):
        acc += tl.load(w + c * K + k) * at(x, s, row, t - (K - 1) + k, T, K - 1)
    tl.store(y + row * T + t, acc / (1.0 + tl.exp(-acc)), mask=t < T)
    if tl.program_id(1) == 0:
        j = tl.arange(0, BS)
        tl.store(out + row * (K - 1) + j, at(x, s, row, T - (K - 1) + j, T, K - 1), mask=j < K - 1)


class ModelNew(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, taps) * 0.5)
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)

    def forward(self, x, state):
        B, C, T = x.shape
        K = self.weight.shape[1]
        x, state = x.contiguous(), state.contiguous()
        y = torch.empty_like(x)
        out = torch.empty_like(state)
        conv_kernel[(B * C, triton.cdiv(T, 256))](
            x, state, self.weight, self.bias, y, out, C, T, K, BLOCK=256, BS=triton.next_power_of_2(K)
        )
        return y, out
