"""Tiles of a signal as long as it says against all bins.

op: hist_lengths
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _hist(x_ptr, len_ptr, out_ptr, N, nb, lo, scale, BLOCK: tl.constexpr, NBP: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    bins = tl.program_id(1) * NBP + tl.arange(0, NBP)
    n = tl.load(len_ptr + b)
    acc = tl.zeros((NBP,), dtype=tl.int64)
    top = tl.zeros((1,), tl.float32) + (nb - 1)
    for start in range(0, n, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        live = offs < n
        x = tl.load(x_ptr + b * N + offs, mask=live, other=0.0)
        t = tl.floor((x - lo) * scale)
        t = tl.minimum(tl.maximum(t, 0.0), top)
        idx = tl.where(live, t.to(tl.int32), -1)
        hit = (idx[:, None] == bins[None, :]).to(tl.int32)
        acc += tl.sum(hit, axis=0).to(tl.int64)
    tl.store(out_ptr + b * nb + bins, acc, mask=bins < nb)


class ModelNew(torch.nn.Module):
    def __init__(self, nb, lo, hi):
        super().__init__()
        self.nb, self.lo, self.hi = nb, lo, hi

    def forward(self, x, lengths):
        x = x.contiguous()
        lengths = lengths.contiguous()
        B, N = x.shape
        out = torch.empty((B, self.nb), dtype=torch.int64, device=x.device)
        grid = (B, triton.cdiv(self.nb, 64))
        _hist[grid](
            x, lengths, out, N, self.nb, float(self.lo), self.nb / (self.hi - self.lo), BLOCK=128, NBP=64
        )
        return out
