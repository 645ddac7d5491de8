"""A fixed number of programs walks over the bodies, lanes over sources and the three coordinates in one tile.

op: softened_pulls
class: persistent loop, coordinates padded to four
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def acc(pos_ptr, mass_ptr, out_ptr, eps2, total, N, spb, spn, spc, smb, smn, BJ: tl.constexpr):
    k = tl.arange(0, 4)
    coord = k < 3
    for body in range(tl.program_id(0), total, tl.num_programs(0)):
        b = body // N
        i = body % N
        own = tl.load(pos_ptr + b * spb + i * spn + k * spc, mask=coord, other=0.0)
        sums = tl.zeros((4,), tl.float32)
        for start in range(0, N, BJ):
            j = start + tl.arange(0, BJ)
            there = j < N
            ok = there[:, None] & coord[None, :]
            p = tl.load(pos_ptr + b * spb + j[:, None] * spn + k[None, :] * spc, mask=ok, other=0.0)
            d = tl.where(ok, p - own[None, :], 0.0)
            inv = tl.rsqrt(tl.sum(d * d, axis=1) + eps2)
            w = tl.load(mass_ptr + b * smb + j * smn, mask=there, other=0.0) * (inv * inv * inv)
            sums += tl.sum(tl.where(ok, w[:, None] * d, 0.0), axis=0)
        tl.store(out_ptr + body * 3 + k, sums, mask=coord)


class ModelNew(nn.Module):
    def __init__(self, eps2=0.01):
        super().__init__()
        self.eps2 = eps2

    def forward(self, pos, mass):
        B, N = mass.shape
        out = torch.empty((B, N, 3), dtype=pos.dtype, device=pos.device)
        acc[(min(B * N, 48),)](
            pos,
            mass,
            out,
            self.eps2,
            B * N,
            N,
            pos.stride(0),
            pos.stride(1),
            pos.stride(2),
            mass.stride(0),
            mass.stride(1),
            BJ=128,
        )
        return out
