"""Flash attention in exp2, the file's log2(e) to the left of blocks; the cap by exp2 too, block pointers.

op: softcap_attention
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn

LOG2E: tl.constexpr = tl.constexpr(1.4426950408889634)


@triton.jit
def tanh(x):
    e = tl.exp2(-2.0 * LOG2E * tl.abs(x))
    t = (1.0 - e) / (1.0 + e)
    small = tl.abs(x) < 0.02
    series = x * (1.0 - x * x * (0.3333333333333333 - x * x * 0.13333333333333333))
    return tl.where(small, series, tl.where(x < 0, -t, t))


@triton.jit
def flash_kernel(
    q,
    k,
    v,
    out,
    queries,
    keys,
    dim,
    cap,
    scale,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BD: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * BM
    past = keys - queries
    q_block = tl.make_block_ptr(
        q + head * queries * dim, (queries, dim), (dim, 1), (first, 0), (BM, BD), (1, 0)
    )
    k_block = tl.make_block_ptr(k + head * keys * dim, (dim, keys), (1, dim), (0, 0), (BD, BN), (0, 1))
    v_block = tl.make_block_ptr(v + head * keys * dim, (keys, dim), (dim, 1), (0, 0), (BN, BD), (1, 0))
    o_block = tl.make_block_ptr(
        out + head * queries * dim, (queries, dim), (dim, 1), (first, 0), (BM, BD), (1, 0)
    )
    i = first + tl.arange(0, BM)
    qt = tl.load(q_block, boundary_check=(0, 1), padding_option="zero")
    peak = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, BD), tl.float32)
    end = tl.minimum(keys, past + first + BM)
    for start in range(0, end, BN):
        kt = tl.load(k_block, boundary_check=(0, 1), padding_option="zero")
        s = tl.dot(qt, kt, input_precision="ieee") * scale
        s = cap * tanh(s / cap)
        j = start + tl.arange(0, BN)
        seen = (j[None, :] <= (i + past)[:, None]) & (j < keys)[None, :]
        s = tl.where(seen, s, float("-inf"))
        new = tl.maximum(peak, tl.max(s, 1))
        base = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp2((s - base[:, None]) * LOG2E)
        alpha = tl.exp2((peak - base) * LOG2E)
        total = total * alpha + tl.sum(p, 1)
        vt = tl.load(v_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(p, vt, acc * alpha[:, None], input_precision="ieee")
        peak = new
        k_block = tl.advance(k_block, (0, BN))
        v_block = tl.advance(v_block, (BN, 0))
    tl.store(o_block, acc / total[:, None], boundary_check=(0, 1))


class ModelNew(nn.Module):
    def __init__(self, cap):
        super().__init__()
        self.cap = cap

    def forward(self, q, k, v):
        batch, heads, queries, dim = q.shape
        keys = k.shape[2]
        if keys < queries:
            raise ValueError(f"{keys} keys are fewer than {queries} queries")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        out = torch.empty_like(q)
        if out.numel() == 0:
            return out
        grid = (triton.cdiv(queries, 32), batch * heads)
        flash_kernel[grid](
            q,
            k,
            v,
            out,
            queries,
            keys,
            dim,
            self.cap,
            dim**-0.5,
            BM=32,
            BN=32,
            BD=max(16, triton.next_power_of_2(dim)),
            num_warps=4,
            num_stages=2,
        )
        return out
