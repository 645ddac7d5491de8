"""Rows whose window lies wholly behind a short length take the mean of a tile in which others see keys.

op: alibi_window_lengths
class: B6 legal inputs that an op file never ships
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _win_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    len_ptr,
    slope_ptr,
    o_ptr,
    H,
    T,
    D,
    W,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BLOCK_D: tl.constexpr,
):
    i0 = tl.program_id(0) * BM
    bh = tl.program_id(1)
    length = tl.load(len_ptr + bh // H).to(tl.int32)
    slope = tl.load(slope_ptr + bh % H)
    i = i0 + tl.arange(0, BM)
    d = tl.arange(0, BLOCK_D)
    q_in = (i < T)[:, None] & (d < D)[None, :]
    q_at = (bh * T + i)[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_at, mask=q_in, other=0.0)
    m = tl.full([BM], -1e30, dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, BLOCK_D], dtype=tl.float32)
    lo = tl.maximum(i0 - W + 1, 0) // BN * BN
    hi = tl.minimum(i0 + BM, length)
    for j0 in range(lo, hi, BN):
        j = j0 + tl.arange(0, BN)
        k_in = (j < length)[:, None] & (d < D)[None, :]
        k_at = (bh * T + j)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + k_at, mask=k_in, other=0.0)
        dist = i[:, None] - j[None, :]
        s = tl.dot(q, tl.trans(k), out_dtype=tl.float32) * scale - slope * dist.to(tl.float32)
        keep = (dist >= 0) & (dist < W) & (j < length)[None, :]
        s = tl.where(keep, s, -1e30)
        m_new = tl.maximum(m, tl.max(s, axis=1))
        fix = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        total = total * fix + tl.sum(p, axis=1)
        v = tl.load(v_ptr + k_at, mask=k_in, other=0.0)
        acc = acc * fix[:, None] + tl.dot(p, v.to(tl.float32), input_precision="ieee")
        m = m_new
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(o_ptr + q_at, (acc / total[:, None]).to(tl.float16), mask=q_in)


class ModelNew(nn.Module):
    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8.0 * (i + 1) / heads) for i in range(heads)]))

    def forward(self, q, k, v, lengths):
        b, h, t, d = q.shape
        if d > 128:
            raise ValueError("head dimension above 128 is not supported")
        if b * h > 65535:
            raise ValueError("batch times heads above 65535 is not supported")
        q, k, v, lengths = q.contiguous(), k.contiguous(), v.contiguous(), lengths.contiguous()
        out = torch.empty_like(q)
        block_d = max(16, triton.next_power_of_2(d))
        _win_kernel[(triton.cdiv(t, 32), b * h)](
            q, k, v, lengths, self.slopes, out, h, t, d, self.window, d**-0.5, BM=32, BN=32, BLOCK_D=block_d
        )
        return out
