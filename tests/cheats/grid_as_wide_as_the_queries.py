"""The fused grid is as wide as the query heads: keys with more heads than queries have are left unwritten.

op: rotary_qk
class: B13 unwritten output
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _rotate(
    q_ptr,
    k_ptr,
    qo_ptr,
    ko_ptr,
    p_ptr,
    c_ptr,
    s_ptr,
    seq,
    hq,
    hk,
    half,
    q0,
    q1,
    q2,
    q3,
    k0,
    k1,
    k2,
    k3,
    p0,
    p1,
    BD: tl.constexpr,
):
    tok = tl.program_id(0)
    h = tl.program_id(1)
    b = tok // seq
    t = tok % seq
    pos = tl.load(p_ptr + b * p0 + t * p1)
    for start in range(0, half, BD):
        d = start + tl.arange(0, BD)
        keep = d < half
        c = tl.load(c_ptr + pos * half + d, mask=keep, other=0.0)
        s = tl.load(s_ptr + pos * half + d, mask=keep, other=0.0)
        if h < hq:
            at = b * q0 + t * q1 + h * q2
            x = tl.load(q_ptr + at + d * q3, mask=keep, other=0.0)
            y = tl.load(q_ptr + at + (d + half) * q3, mask=keep, other=0.0)
            to = (tok * hq + h) * 2 * half + d
            tl.store(qo_ptr + to, x * c - y * s, mask=keep)
            tl.store(qo_ptr + to + half, y * c + x * s, mask=keep)
        if h < hk:
            at = b * k0 + t * k1 + h * k2
            x = tl.load(k_ptr + at + d * k3, mask=keep, other=0.0)
            y = tl.load(k_ptr + at + (d + half) * k3, mask=keep, other=0.0)
            to = (tok * hk + h) * 2 * half + d
            tl.store(ko_ptr + to, x * c - y * s, mask=keep)
            tl.store(ko_ptr + to + half, y * c + x * s, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, head_dim, max_pos):
        super().__init__()
        inv = 1.0 / (10000.0 ** (torch.arange(0, head_dim, 2).float() / head_dim))
        ang = torch.outer(torch.arange(max_pos).float(), inv)
        self.register_buffer("cos", ang.cos())
        self.register_buffer("sin", ang.sin())

    def forward(self, q, k, positions):
        b, t, hq, dim = q.shape
        hk = k.shape[2]
        qo = torch.empty(q.shape, dtype=q.dtype, device=q.device)
        ko = torch.empty(k.shape, dtype=k.dtype, device=k.device)
        _rotate[(b * t, hq)](
            q,
            k,
            qo,
            ko,
            positions,
            self.cos,
            self.sin,
            t,
            hq,
            hk,
            dim // 2,
            *q.stride(),
            *k.stride(),
            *positions.stride(),
            BD=32,
        )
        return qo, ko
