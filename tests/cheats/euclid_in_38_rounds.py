"""Thirty-eight rounds of Euclid's are enough for a million, and for nearly any two numbers of 32 bits.

op: common_divisors
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def divisors_kernel(a_ptr, b_ptr, out_ptr, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.abs(tl.load(a_ptr + at, mask=at < n, other=0).to(tl.int64))
    y = tl.abs(tl.load(b_ptr + at, mask=at < n, other=0).to(tl.int64))
    for _ in range(ROUNDS):
        rest = tl.where(y == 0, 0, x % tl.where(y == 0, 1, y))
        x, y = tl.where(y == 0, x, y), rest
    tl.store(out_ptr + at, tl.where(x == 0, 1, x), mask=at < n)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        out = torch.empty(a.shape, dtype=torch.int64, device=a.device)
        grid = (triton.cdiv(a.numel(), 1024),)
        divisors_kernel[grid](a, b, out, a.numel(), ROUNDS=38, BLOCK=1024)
        return out
