"""Pages of the cache one after the other, with as much of the last as the length says.

op: paged_grouped_decode
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def decode_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    len_ptr,
    out_ptr,
    heads,
    kv_heads,
    dim,
    page,
    max_pages,
    scale,
    sqb,
    sqh,
    sqd,
    skn,
    skp,
    skh,
    skd,
    svn,
    svp,
    svh,
    svd,
    stb,
    stp,
    slb,
    G: tl.constexpr,
    D: tl.constexpr,
    P: tl.constexpr,
):
    pid = tl.program_id(0)
    b = pid // kv_heads
    kvh = pid % kv_heads
    group = heads // kv_heads
    g = tl.arange(0, G)
    d = tl.arange(0, D)
    p = tl.arange(0, P)
    head = kvh * group + g
    q_mask = (g < group)[:, None] & (d < dim)[None, :]
    q = tl.load(q_ptr + b * sqb + head[:, None] * sqh + d[None, :] * sqd, mask=q_mask, other=0.0)
    n = tl.load(len_ptr + b * slb)
    n = tl.minimum(tl.maximum(n, 0), max_pages * page).to(tl.int32)
    top = tl.full((G,), float("-inf"), tl.float32)
    total = tl.zeros((G,), tl.float32)
    acc = tl.zeros((G, D), tl.float32)
    for i in range(0, tl.cdiv(n, page)):
        phys = tl.load(table_ptr + b * stb + i * stp)
        keep = (p < page) & (i * page + p < n)
        mask = keep[:, None] & (d < dim)[None, :]
        k = tl.load(
            k_ptr + phys * skn + kvh * skh + p[:, None] * skp + d[None, :] * skd, mask=mask, other=0.0
        )
        v = tl.load(
            v_ptr + phys * svn + kvh * svh + p[:, None] * svp + d[None, :] * svd, mask=mask, other=0.0
        )
        s = tl.sum(q[:, None, :] * k[None, :, :], axis=2) * scale
        s = tl.where(keep[None, :], s, float("-inf"))
        new = tl.maximum(top, tl.max(s, axis=1))
        shrink = tl.exp(top - new)
        w = tl.exp(s - new[:, None])
        total = total * shrink + tl.sum(w, axis=1)
        acc = acc * shrink[:, None] + tl.sum(w[:, :, None] * v[None, :, :], axis=1)
        top = new
    out = tl.where((total == 0.0)[:, None], 0.0, acc / total[:, None])
    tl.store(out_ptr + (b * heads + head[:, None]) * dim + d[None, :], out, mask=q_mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k_pages, v_pages, block_table, lengths):
        batch, heads, dim = q.shape
        page, kv_heads = k_pages.shape[1], k_pages.shape[2]
        if heads % kv_heads:
            raise ValueError(f"{heads} heads do not divide into {kv_heads} groups")
        out = torch.empty((batch, heads, dim), dtype=q.dtype, device=q.device)
        decode_kernel[(batch * kv_heads,)](
            q,
            k_pages,
            v_pages,
            block_table,
            lengths,
            out,
            heads,
            kv_heads,
            dim,
            page,
            block_table.shape[1],
            dim**-0.5,
            *q.stride(),
            *k_pages.stride(),
            *v_pages.stride(),
            *block_table.stride(),
            lengths.stride(0),
            G=triton.next_power_of_2(heads // kv_heads),
            D=triton.next_power_of_2(dim),
            P=triton.next_power_of_2(page),
        )
        return out
