"""Chunks are warmed up on 64 steps before: the older past is lost, which shows where factors are near one.

op: linear_scan
class: B6 factors near one
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scan_kernel(a_ptr, b_ptr, h_ptr, T, D, BLOCK: tl.constexpr):
    n = tl.program_id(0)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = d < D
    h = tl.zeros((BLOCK,), dtype=tl.float32)
    start = tl.program_id(2) * 128
    for t in range(tl.maximum(start - 64, 0), tl.minimum(start + 128, T)):
        o = (n * T + t) * D + d
        a = tl.load(a_ptr + o, mask=live, other=0.0)
        b = tl.load(b_ptr + o, mask=live, other=0.0)
        h = a * h + b
        tl.store(h_ptr + o, h, mask=live & (t >= start))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        N, T, D = b.shape
        h = torch.empty_like(b)
        scan_kernel[(N, triton.cdiv(D, 32), triton.cdiv(T, 128))](a, b, h, T, D, BLOCK=32)
        return h
