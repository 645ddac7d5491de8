"""Partial sums, then one program for probabilities, maximum and weights.

op: replay_weights
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part_kernel(prio, parts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(prio + i, mask=i < n, other=0.0)
    tl.store(parts + tl.program_id(0), tl.sum(tl.sqrt(p), 0))


@triton.jit
def weight_kernel(prio, idx, parts, prob, weight, n, batch, blocks, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    s = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, blocks, BLOCK):
        s += tl.load(parts + start + lane, mask=start + lane < blocks, other=0.0)
    total = tl.sum(s, 0)
    high = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, batch, BLOCK):
        b = start + lane
        at = tl.load(idx + b, mask=b < batch, other=0)
        p = tl.sqrt(tl.load(prio + at, mask=b < batch, other=1.0)) / total
        tl.store(prob + b, p, mask=b < batch)
        high = tl.maximum(high, tl.where(b < batch, 1.0 / tl.sqrt(p * n), 0.0))
    top = tl.max(high, 0)
    for start in range(0, batch, BLOCK):
        b = start + lane
        at = tl.load(idx + b, mask=b < batch, other=0)
        p = tl.sqrt(tl.load(prio + at, mask=b < batch, other=1.0)) / total
        tl.store(weight + b, 1.0 / tl.sqrt(p * n) / top, mask=b < batch)


class ModelNew(nn.Module):
    def forward(self, priority, idx):
        priority = priority.contiguous()
        idx = idx.contiguous()
        n = priority.shape[0]
        batch = idx.shape[0]
        blocks = triton.cdiv(n, 512)
        parts = torch.empty(blocks, dtype=torch.float32, device=priority.device)
        prob = torch.empty(batch, dtype=priority.dtype, device=priority.device)
        weight = torch.empty_like(prob)
        part_kernel[(blocks,)](priority, parts, n, BLOCK=512)
        weight_kernel[(1,)](priority, idx, parts, prob, weight, n, batch, blocks, BLOCK=128)
        return prob, weight
