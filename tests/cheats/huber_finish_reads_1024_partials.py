"""The last kernel reads one block of 1024 partial sums, enough at full size alone.

op: huber_of_many
class: B22 one row more than full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _partial(p_ptr, t_ptr, part_ptr, n, delta, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    p = tl.load(p_ptr + i, mask=i < n, other=0.0)
    t = tl.load(t_ptr + i, mask=i < n, other=0.0)
    a = tl.abs(p - t)
    v = tl.where(a <= delta, 0.5 * a * a, delta * (a - 0.5 * delta))
    tl.store(part_ptr + tl.program_id(0), tl.sum(v, axis=0))


@triton.jit
def _finish(part_ptr, out_ptr, parts, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.load(part_ptr + i, mask=i < parts, other=0.0)
    tl.store(out_ptr, tl.sum(acc, axis=0) / n)


class ModelNew(nn.Module):
    def __init__(self, delta):
        super().__init__()
        self.delta = delta

    def forward(self, pred, target):
        pred, target = pred.contiguous(), target.contiguous()
        n = pred.numel()
        parts = triton.cdiv(n, 1024)
        part = torch.empty((parts,), device=pred.device, dtype=torch.float32)
        out = torch.empty((), device=pred.device, dtype=torch.float32)
        _partial[(parts,)](pred, target, part, n, self.delta, BLOCK=1024)
        _finish[(1,)](part, out, parts, n, BLOCK=1024)
        return out
