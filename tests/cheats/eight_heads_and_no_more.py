"""One block of eight heads and no more: with nine, what is left is never written.

op: rope_positions
class: B14 partial work
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _token(x_ptr, p_ptr, cos_ptr, sin_ptr, o_ptr, heads, half, BH: tl.constexpr, BD: tl.constexpr):
    tok = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BD)
    okd = d < half
    pos = tl.load(p_ptr + tok).to(tl.int64)
    c = tl.load(cos_ptr + pos * half + d, mask=okd, other=0.0)[None, :]
    s = tl.load(sin_ptr + pos * half + d, mask=okd, other=0.0)[None, :]
    for start in range(0, BH, BH):
        h = start + tl.arange(0, BH)
        ok = (h < heads)[:, None] & okd[None, :]
        off = (tok * heads + h[:, None]) * (2 * half) + d[None, :]
        a = tl.load(x_ptr + off, mask=ok, other=0.0)
        b = tl.load(x_ptr + off + half, mask=ok, other=0.0)
        tl.store(o_ptr + off, a * c - b * s, mask=ok)
        tl.store(o_ptr + off + half, b * c + a * s, mask=ok)


class ModelNew(nn.Module):
    def __init__(self, head_dim, max_pos):
        super().__init__()
        inv = 10000.0 ** (-torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)
        angles = torch.arange(max_pos, dtype=torch.float32)[:, None] * inv[None, :]
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, x, position_ids):
        batch, tokens, heads, dim = x.shape
        x = x.contiguous()
        pos = position_ids.contiguous()
        out = torch.empty_like(x)
        half = dim // 2
        _token[(batch * tokens,)](
            x, pos, self.cos, self.sin, out, heads, half, BH=8, BD=triton.next_power_of_2(half)
        )
        return out
