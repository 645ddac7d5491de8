"""An ordered image of the value and the inverse of its place in 64 bits meet in an atomic maximum.

op: max_dim1
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def ordered_bits(x):
    x = tl.where(x == 0.0, 0.0, x)  # both zeros are equal
    bits = x.to(tl.int32, bitcast=True)
    key = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # negative numbers turned round
    return tl.where(x != x, 0x7FFFFFFF, key)  # any NaN on top


@triton.jit
def part_max(x_ptr, key_ptr, L, D, per_part, sb, sl, sd, BL: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    lo = tl.program_id(2) * per_part
    hi = min(lo + per_part, L)
    best = tl.full((BD,), -0x8000000000000000, tl.int64)
    for l0 in range(lo, hi, BL):
        at = l0 + tl.arange(0, BL)
        m = (at < hi)[:, None] & (d < D)[None, :]
        x = tl.load(
            x_ptr + b * sb + at.to(tl.int64)[:, None] * sl + d.to(tl.int64)[None, :] * sd, mask=m, other=0.0
        )
        key = (ordered_bits(x).to(tl.int64) << 32) | (0x7FFFFFFF - at).to(tl.int64)[:, None]
        key = tl.where(m, key, -0x8000000000000000)
        best = tl.maximum(best, tl.max(key, axis=0))
    tl.atomic_max(key_ptr + b * D + d, best, mask=d < D)


@triton.jit
def unpack(x_ptr, key_ptr, v_ptr, i_ptr, total, D, sb, sl, sd, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < total
    key = tl.load(key_ptr + o, mask=m, other=0)
    idx = tl.where(m, 0x7FFFFFFF - (key & 0xFFFFFFFF), 0)
    val = tl.load(x_ptr + (o // D) * sb + idx * sl + (o % D) * sd, mask=m, other=0.0)
    tl.store(v_ptr + o, val, mask=m)
    tl.store(i_ptr + o, idx, mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dtype != torch.float32:
            raise ValueError("max_dim1: float32 expected")
        B, L, D = x.shape
        keys = torch.full((B, D), -0x8000000000000000, device=x.device, dtype=torch.int64)
        values = torch.empty((B, D), device=x.device, dtype=x.dtype)
        indices = torch.empty((B, D), device=x.device, dtype=torch.int64)
        parts = min(8, L)
        part_max[(B, triton.cdiv(D, 64), parts)](
            x, keys, L, D, triton.cdiv(L, parts), *x.stride(), BL=32, BD=64
        )
        unpack[(triton.cdiv(B * D, 256),)](x, keys, values, indices, B * D, D, *x.stride(), BLOCK=256)
        return values, indices
