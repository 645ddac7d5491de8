"""For each logit the probability of all that stand before it is added up, without a sort.

op: nucleus
class: counting instead of sorting, tiles, two kernels
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def stats_kernel(z, stat, v, BV: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    top = tl.full([BV], float("-inf"), tl.float32)
    for j0 in range(0, v, BV):
        j = j0 + tl.arange(0, BV)
        top = tl.maximum(top, tl.load(z + r * v + j, mask=j < v, other=float("-inf")).to(tl.float32))
    m = tl.max(top, axis=0)
    s = tl.zeros([BV], tl.float32)
    for j0 in range(0, v, BV):
        j = j0 + tl.arange(0, BV)
        s += tl.exp(tl.load(z + r * v + j, mask=j < v, other=float("-inf")).to(tl.float32) - m)
    tl.store(stat + r * 2, m)
    tl.store(stat + r * 2 + 1, tl.sum(s, axis=0))


@triton.jit
def filter_kernel(z, stat, out, v, top_p, BI: tl.constexpr, BJ: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BI + tl.arange(0, BI)
    m = tl.load(stat + r * 2)
    s = tl.load(stat + r * 2 + 1)
    zi = tl.load(z + r * v + i, mask=i < v, other=0.0).to(tl.float32)
    before = tl.zeros([BI], tl.float32)
    for j0 in range(0, v, BJ):
        j = j0 + tl.arange(0, BJ)
        zj = tl.load(z + r * v + j, mask=j < v, other=float("-inf")).to(tl.float32)
        p = tl.exp(zj - m) / s
        first = (zj[None, :] > zi[:, None]) | ((zj[None, :] == zi[:, None]) & (j[None, :] < i[:, None]))
        before += tl.sum(tl.where(first, p[None, :], 0.0), axis=1)
    tl.store(out + r * v + i, tl.where(before > top_p, float("-inf"), zi), mask=i < v)


class ModelNew(nn.Module):
    def __init__(self, top_p):
        super().__init__()
        self.top_p = top_p

    def forward(self, logits):
        z = logits.contiguous()
        b, v = z.shape
        stat = torch.empty(b, 2, dtype=torch.float32, device=z.device)
        out = torch.empty_like(z)
        stats_kernel[(b,)](z, stat, v, BV=256)
        filter_kernel[(b, triton.cdiv(v, 64))](z, stat, out, v, self.top_p, BI=64, BJ=64)
        return out
