"""Blocks of queries with an online softmax over the keys below the length.

op: alibi_attention
class: online softmax, ValueError for large heads
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def attention_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    len_ptr,
    slope_ptr,
    o_ptr,
    H,
    L,
    S,
    D,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    bh = tl.program_id(1).to(tl.int64)
    b = bh // H
    slope = tl.load(slope_ptr + bh % H)
    length = tl.load(len_ptr + b).to(tl.int32)
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, BD)
    q = tl.load(
        q_ptr + bh * L * D + rm[:, None] * D + rd[None, :],
        mask=(rm[:, None] < L) & (rd[None, :] < D),
        other=0.0,
    )
    top = tl.full((BM,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, BD), dtype=tl.float32)
    for n in range(0, length, BN):
        rn = n + tl.arange(0, BN)
        keep = rn < length
        kv_mask = keep[:, None] & (rd[None, :] < D)
        k = tl.load(k_ptr + bh * S * D + rn[:, None] * D + rd[None, :], mask=kv_mask, other=0.0)
        v = tl.load(v_ptr + bh * S * D + rn[:, None] * D + rd[None, :], mask=kv_mask, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s -= slope * tl.abs(rm[:, None] - rn[None, :]).to(tl.float32)
        s = tl.where(keep[None, :], s, float("-inf"))
        new = tl.maximum(top, tl.max(s, axis=1))
        fade = tl.exp(top - new)
        p = tl.exp(s - new[:, None])
        total = total * fade + tl.sum(p, axis=1)
        acc = acc * fade[:, None] + tl.dot(p, v, input_precision="ieee")
        top = new
    full = total > 0.0
    out = tl.where(full[:, None], acc / tl.where(full, total, 1.0)[:, None], 0.0)
    tl.store(
        o_ptr + bh * L * D + rm[:, None] * D + rd[None, :], out, mask=(rm[:, None] < L) & (rd[None, :] < D)
    )


class ModelNew(nn.Module):
    def __init__(self, num_heads):
        super().__init__()
        slopes = torch.tensor([2.0 ** (-8.0 * (i + 1) / num_heads) for i in range(num_heads)])
        self.register_buffer("slopes", slopes)

    def forward(self, q, k, v, lengths):
        B, H, L, D = q.shape
        S = k.shape[2]
        if D > 256:
            raise ValueError("head dimensions above 256 are not supported")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        out = torch.empty_like(q)
        attention_kernel[(triton.cdiv(L, 16), B * H)](
            q,
            k,
            v,
            lengths.contiguous(),
            self.slopes,
            out,
            H,
            L,
            S,
            D,
            D**-0.5,
            BM=16,
            BN=16,
            BD=max(16, triton.next_power_of_2(D)),
        )
        return out
