"""One program an expert finds its base and scans its own tokens; a tiled gather reads them in order.

op: tokens_by_expert
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def scan_kernel(id_ptr, place_ptr, source_ptr, count_ptr, n, topk, BLOCK: tl.constexpr):
    expert = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    base = 0
    for start in range(0, n, BLOCK):
        i = start + lane
        e = tl.load(id_ptr + i, mask=i < n, other=0)
        base += tl.sum(((e < expert) & (i < n)).to(tl.int32), axis=0)
    found = 0
    for start in range(0, n, BLOCK):
        i = start + lane
        e = tl.load(id_ptr + i, mask=i < n, other=0)
        hit = (e == expert) & (i < n)
        place = base + found + tl.cumsum(hit.to(tl.int32), axis=0) - 1
        tl.store(place_ptr + i, place.to(tl.int64), mask=hit)
        tl.store(source_ptr + place, i // topk, mask=hit)
        found += tl.sum(hit.to(tl.int32), axis=0)
    tl.store(count_ptr + expert, found.to(tl.int64))


@triton.jit
def gather_kernel(x_ptr, source_ptr, row_ptr, n, hidden, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    token = tl.load(source_ptr + r, mask=r < n, other=0)
    mask = (r < n)[:, None] & (c < hidden)[None, :]
    tile = tl.load(x_ptr + token[:, None] * hidden + c[None, :], mask=mask)
    tl.store(row_ptr + r[:, None] * hidden + c[None, :], tile, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, experts):
        super().__init__()
        self.experts = experts

    def forward(self, x, ids):
        x, ids = x.contiguous(), ids.contiguous()
        n, hidden = ids.numel(), x.shape[1]
        rows = torch.empty((n, hidden), dtype=x.dtype, device=x.device)
        places = torch.empty(ids.shape, dtype=torch.int64, device=x.device)
        counts = torch.empty((self.experts,), dtype=torch.int64, device=x.device)
        source = torch.empty((n,), dtype=torch.int32, device=x.device)
        scan_kernel[(self.experts,)](ids, places, source, counts, n, ids.shape[1], BLOCK=256)
        gather_kernel[(triton.cdiv(n, 16), triton.cdiv(hidden, 64))](x, source, rows, n, hidden, R=16, C=64)
        return rows, places, counts
