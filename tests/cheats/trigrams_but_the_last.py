"""One trigram too few is looked at: the one that the last two words make with the word before them.

op: trigram_block
class: B6 inputs
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def block_kernel(x_ptr, t_ptr, o_ptr, V, L, x0, x1, t0, t1, BV: tl.constexpr, BL: tl.constexpr):
    r = tl.program_id(0)
    v = tl.program_id(1) * BV + tl.arange(0, BV)
    a = tl.load(t_ptr + r * t0 + (L - 2) * t1)
    b = tl.load(t_ptr + r * t0 + (L - 1) * t1)
    hit = tl.zeros((BV,), tl.int32)
    for first in range(0, L - 3, BL):
        at = first + tl.arange(0, BL)
        m = at < L - 3
        p = tl.load(t_ptr + r * t0 + at * t1, mask=m, other=-1)
        q = tl.load(t_ptr + r * t0 + (at + 1) * t1, mask=m, other=-1)
        z = tl.load(t_ptr + r * t0 + (at + 2) * t1, mask=m, other=-1)
        seen = m & (p == a) & (q == b)
        hit = hit | tl.max((seen[None, :] & (z[None, :] == v[:, None])).to(tl.int32), 1)
    x = tl.load(x_ptr + r * x0 + v * x1, mask=v < V, other=0.0)
    tl.store(o_ptr + r * V + v, tl.where(hit > 0, float("-inf"), x), mask=v < V)


class ModelNew(nn.Module):
    def forward(self, scores, said):
        r, v = scores.shape
        n = said.shape[1]
        if n < 2:
            raise ValueError("fewer than two words")
        o = torch.empty((r, v), dtype=scores.dtype, device=scores.device)
        block_kernel[(r, triton.cdiv(v, 32))](
            scores, said, o, v, n, *scores.stride(), *said.stride(), BV=32, BL=64
        )
        return o
