"""The rate falls at the tenth call that is no better, and not behind it.

op: rate_on_a_plateau
class: B7 counters
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def tick(loss_ptr, best_ptr, lr_ptr, bad_ptr):
    loss = tl.load(loss_ptr)
    best = tl.load(best_ptr)
    lr = tl.load(lr_ptr)
    better = loss < best
    bad = tl.where(better, 0, tl.load(bad_ptr) + 1)
    cut = bad >= 10
    tl.store(best_ptr, tl.where(better, loss, best))
    tl.store(lr_ptr, tl.where(cut, lr * 0.1, lr))
    tl.store(bad_ptr, tl.where(cut, 0, bad))


@triton.jit
def k(p_ptr, g_ptr, lr_ptr, out_ptr, n, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    p = tl.load(p_ptr + o, mask=m)
    g = tl.load(g_ptr + o, mask=m)
    tl.store(out_ptr + o, p - tl.load(lr_ptr) * g, mask=m)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("best", torch.full((), 1e9))
        self.register_buffer("lr", torch.full((), 0.1))
        self.register_buffer("bad", torch.zeros((), dtype=torch.int64))

    def forward(self, p, g, loss):
        p, g, loss = p.contiguous(), g.contiguous(), loss.contiguous()
        n = p.numel()
        out = torch.empty_like(p)
        tick[(1,)](loss, self.best, self.lr, self.bad)
        k[(triton.cdiv(n, 512),)](p, g, self.lr, out, n, BLOCK=512)
        return out
