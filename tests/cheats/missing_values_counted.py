"""-999 marks what is missing; here it is a value like any other.

op: masked_l1
class: B6 thresholds
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def part(a_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(a_ptr + o, mask=o < n, other=0.0)
    b = tl.load(b_ptr + o, mask=o < n, other=0.0)
    tl.store(o_ptr + tl.program_id(0), tl.sum(tl.abs(a - b)))


@triton.jit
def whole(p_ptr, o_ptr, parts, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, parts, BLOCK):
        j = s + tl.arange(0, BLOCK)
        acc += tl.load(p_ptr + j, mask=j < parts, other=0.0)
    tl.store(o_ptr, tl.sum(acc) / n)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        n = a.numel()
        parts = triton.cdiv(n, 1024)
        p = torch.empty((parts,), dtype=a.dtype, device=a.device)
        out = torch.empty((), dtype=a.dtype, device=a.device)
        part[(parts,)](a, b, p, n, BLOCK=1024)
        whole[(1,)](p, out, parts, n, BLOCK=256)
        return out
