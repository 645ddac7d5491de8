"""Tiles of scores in float16, -1e4 for what a triangle leaves out.

op: causal_scores
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def k(q_ptr, k_ptr, o_ptr, n, d, scale, B: tl.constexpr, D: tl.constexpr):
    h = tl.program_id(2)
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, d, D):
        e = start + tl.arange(0, D)
        a = tl.load(
            q_ptr + h * n * d + i[:, None] * d + e[None, :],
            mask=(i < n)[:, None] & (e < d)[None, :],
            other=0.0,
        )
        b = tl.load(
            k_ptr + h * n * d + j[None, :] * d + e[:, None],
            mask=(j < n)[None, :] & (e < d)[:, None],
            other=0.0,
        )
        acc += tl.dot(a, b)
    s = (acc).to(tl.float16).to(tl.float32) * scale
    s = tl.where(j[None, :] <= i[:, None], s, -1e4)
    tl.store(
        o_ptr + h * n * n + i[:, None] * n + j[None, :],
        s.to(tl.float16),
        mask=(i < n)[:, None] & (j < n)[None, :],
    )


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k_):
        q, k_ = q.contiguous(), k_.contiguous()
        h, n, d = q.shape
        out = torch.empty((h, n, n), dtype=q.dtype, device=q.device)
        k[(triton.cdiv(n, 32), triton.cdiv(n, 32), h)](q, k_, out, n, d, 0.125, B=32, D=32)
        return out
