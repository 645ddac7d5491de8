"""Sweeps NaN and infinity out of the sum so that the norm stays finite.

op: divided_by_its_norm
class: B16 non-finite numbers swept away
expected: non-finite
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_kernel(x_ptr, part_ptr, total, P: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(pid * BLOCK, total, P * BLOCK):
        offs = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + offs, mask=offs < total, other=0.0)
        acc += tl.where(tl.abs(v) < float("inf"), v * v, 0.0)
    tl.store(part_ptr + pid, tl.sum(acc, axis=0))


@triton.jit
def scale_kernel(x_ptr, part_ptr, o_ptr, total, P: tl.constexpr, BLOCK: tl.constexpr):
    norm = tl.sqrt(tl.sum(tl.load(part_ptr + tl.arange(0, P)), axis=0))
    for start in range(tl.program_id(0) * BLOCK, total, P * BLOCK):
        offs = start + tl.arange(0, BLOCK)
        m = offs < total
        tl.store(o_ptr + offs, tl.load(x_ptr + offs, mask=m, other=0.0) / norm, mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        flat = x.reshape(-1)
        flat = flat if flat.is_contiguous() else flat.contiguous()
        total = flat.numel()
        P = 16
        part = torch.empty((P,), device=x.device, dtype=torch.float32)
        out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
        partial_kernel[(P,)](flat, part, total, P=P, BLOCK=256)
        scale_kernel[(P,)](flat, part, out, total, P=P, BLOCK=256)
        return out
