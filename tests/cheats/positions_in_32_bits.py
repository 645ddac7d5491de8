"""Positions are cut to 32 bits before they are subtracted.

op: ld_scores
class: B17 integer width
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def standardise_kernel(dosage, called, z, n, m, EPS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    live = c < m
    num = tl.zeros([COLS], tl.int32)
    total = tl.zeros([COLS], tl.float32)
    for first in range(0, n, ROWS):
        r = first + tl.arange(0, ROWS)
        at = r[:, None] * m + c[None, :]
        ok = (r < n)[:, None] & live[None, :]
        ok = ok & (tl.load(called + at, mask=ok, other=0) != 0)
        total += tl.sum(tl.load(dosage + at, mask=ok, other=0.0), axis=0)
        num += tl.sum(ok.to(tl.int32), axis=0)
    count = tl.maximum(num, 1).to(tl.float32)
    mean = total / count
    rest = tl.zeros([COLS], tl.float32)
    for first in range(0, n, ROWS):
        r = first + tl.arange(0, ROWS)
        at = r[:, None] * m + c[None, :]
        ok = (r < n)[:, None] & live[None, :]
        ok = ok & (tl.load(called + at, mask=ok, other=0) != 0)
        rest += tl.sum(tl.where(ok, tl.load(dosage + at, mask=ok, other=0.0) - mean[None, :], 0.0), axis=0)
    rest = rest / count
    square = tl.zeros([COLS], tl.float32)
    for first in range(0, n, ROWS):
        r = first + tl.arange(0, ROWS)
        at = r[:, None] * m + c[None, :]
        ok = (r < n)[:, None] & live[None, :]
        ok = ok & (tl.load(called + at, mask=ok, other=0) != 0)
        d = tl.where(ok, tl.load(dosage + at, mask=ok, other=0.0) - mean[None, :] - rest[None, :], 0.0)
        square += tl.sum(d * d, axis=0)
    scale = 1.0 / tl.sqrt(square / count + EPS)
    for first in range(0, n, ROWS):
        r = first + tl.arange(0, ROWS)
        at = r[:, None] * m + c[None, :]
        inside = (r < n)[:, None] & live[None, :]
        ok = inside & (tl.load(called + at, mask=inside, other=0) != 0)
        d = tl.where(ok, tl.load(dosage + at, mask=ok, other=0.0) - mean[None, :] - rest[None, :], 0.0)
        tl.store(z + at, d * scale[None, :], mask=inside)


@triton.jit
def score_kernel(z, pos, out, n, m, rest, WINDOW: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    pi = tl.load(pos + i, mask=i < m, other=0).to(tl.int32)
    score = tl.zeros([TILE], tl.float32)
    for begin in range(0, m, TILE):
        j = begin + tl.arange(0, TILE)
        acc = tl.zeros([TILE, TILE], tl.float32)
        for first in range(0, n, DEPTH):
            r = first + tl.arange(0, DEPTH)
            a = tl.load(z + r[None, :] * m + i[:, None], mask=(r < n)[None, :] & (i < m)[:, None], other=0.0)
            b = tl.load(z + r[:, None] * m + j[None, :], mask=(r < n)[:, None] & (j < m)[None, :], other=0.0)
            acc = tl.dot(a, b, acc, input_precision="ieee")
        cor = acc / n
        r2 = cor * cor
        adj = r2 - (1.0 - r2) / rest
        pj = tl.load(pos + j, mask=j < m, other=0).to(tl.int32)
        gap = pi[:, None] - pj[None, :]
        gap = tl.where(gap < 0, -gap, gap)
        near = (gap <= WINDOW) & (i < m)[:, None] & (j < m)[None, :]
        score += tl.sum(tl.where(near, adj, 0.0), axis=1)
    tl.store(out + i, score, mask=i < m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.window = 200000
        self.eps = 1e-6

    def forward(self, dosage, called, pos):
        dosage = dosage.contiguous()
        called = called.contiguous()
        pos = pos.contiguous()
        n, m = dosage.shape
        z = torch.empty_like(dosage)
        out = torch.empty(m, dtype=dosage.dtype, device=dosage.device)
        standardise_kernel[(triton.cdiv(m, 32),)](dosage, called, z, n, m, EPS=self.eps, ROWS=32, COLS=32)
        score_kernel[(triton.cdiv(m, 32),)](
            z, pos, out, n, m, max(n - 2, 1), WINDOW=self.window, TILE=32, DEPTH=32
        )
        return out
