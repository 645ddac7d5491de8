"""Reads from the start of its storage: a slice of a larger tensor is read from the wrong place.

op: complex_filter
class: B8 layout taken for granted
expected: unwritten-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _mul(x_ptr, f_ptr, out_ptr, total, period, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    pair = tl.arange(0, 2)
    live = (at < total)[:, None] & (pair < 2)[None, :]
    a, b = tl.split(tl.load(x_ptr + 2 * at[:, None] + pair[None, :], mask=live, other=0.0))
    c, d = tl.split(tl.load(f_ptr + 2 * (at % period)[:, None] + pair[None, :], mask=live, other=0.0))
    tl.store(out_ptr + 2 * at[:, None] + pair[None, :], tl.join(a * c - b * d, a * d + b * c), mask=live)


class ModelNew(nn.Module):
    def __init__(self, freqs, channels):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(freqs, channels, 2) * 0.02)

    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        x = torch.as_strided(x, (x.numel(),), (1,), 0)  # flat view
        total = x.numel() // 2
        _mul[(triton.cdiv(total, 512),)](
            x, self.filter.contiguous(), out, total, self.filter.numel() // 2, BLOCK=512
        )
        return out
