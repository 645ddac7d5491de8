"""Stirling's term is added for counts of one, too, where the loss leaves it out.

op: poisson
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def poisson_part(x_ptr, t_ptr, w_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    t = tl.load(t_ptr + offs, mask=mask, other=0.0)
    big = t >= 1.0
    s = tl.where(big, t, 1.0)
    stirling = s * tl.log(s) - s + 0.5 * tl.log(6.283185307179586 * s)
    loss = tl.exp(x) - t * x + tl.where(big, stirling, 0.0)
    tl.store(w_ptr + pid, tl.sum(tl.where(mask, loss, 0.0), 0))


@triton.jit
def poisson_end(w_ptr, o_ptr, parts, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), tl.float32)
    for s in range(0, parts, BLOCK):
        offs = s + tl.arange(0, BLOCK)
        acc += tl.load(w_ptr + offs, mask=offs < parts, other=0.0)
    tl.store(o_ptr, tl.sum(acc, 0) / n)


class ModelNew(nn.Module):
    def forward(self, rate, target):
        rate, target = rate.contiguous(), target.contiguous()
        n = rate.numel()
        parts = triton.cdiv(n, 1024)
        work = torch.empty((parts,), device=rate.device, dtype=torch.float32)
        out = torch.empty((), device=rate.device, dtype=torch.float32)
        poisson_part[(parts,)](rate, target, work, n, BLOCK=1024)
        poisson_end[(1,)](work, out, parts, n, BLOCK=1024)
        return out
