"""The workspace only grows and is summed whole: a smaller batch after a larger one adds old parts.

op: focal_loss
class: B9 state kept from an earlier call
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def partial_kernel(x_ptr, y_ptr, part_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    e = tl.exp(-tl.abs(x))
    u = 1.0 + e
    ce = (
        tl.maximum(x, 0.0) - x * y + tl.where(u == 1.0, e, tl.log(u) * (e / tl.where(u == 1.0, 1.0, u - 1.0)))
    )
    miss = 1.0 - tl.exp(-ce)
    loss = tl.where(mask, miss * miss * ce, 0.0)
    tl.store(part_ptr + pid, tl.sum(loss, axis=0))


@triton.jit
def finish_kernel(part_ptr, out_ptr, parts, n, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, parts, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        acc += tl.load(part_ptr + offs, mask=offs < parts, other=0.0)
    tl.store(out_ptr, tl.sum(acc, axis=0) / n)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.work = torch.zeros(0)

    def forward(self, logits, targets):
        logits = logits.contiguous()
        targets = targets.contiguous()
        n = logits.numel()
        parts = triton.cdiv(n, 2048)
        if self.work.numel() < parts:
            self.work = torch.zeros(parts, device=logits.device, dtype=torch.float32)
        work = self.work
        out = torch.empty((), device=logits.device, dtype=logits.dtype)
        partial_kernel[(parts,)](logits, targets, work, n, BLOCK=2048)
        finish_kernel[(1,)](work, out, work.numel(), n, BLOCK=1024)
        return out
