"""Each expert finds its rank; the chosen share their own exponentials.

op: gate_with_shared_experts
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def rank_kernel(
    x_ptr, b_ptr, id_ptr, pick_ptr, tokens, experts, topk, width, BT: tl.constexpr, BE: tl.constexpr
):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    e = tl.program_id(1) * BE + tl.arange(0, BE)
    keep = (t[:, None] < tokens) & (e[None, :] < experts)
    x = tl.load(x_ptr + t[:, None] * experts + e[None, :], mask=keep, other=0.0)
    sel = x + tl.load(b_ptr + e, mask=e < experts, other=0.0)[None, :]
    rank = tl.zeros((BT, BE), dtype=tl.int32)
    for j in range(0, experts):
        o = tl.load(x_ptr + t * experts + j, mask=t < tokens, other=0.0) + tl.load(b_ptr + j)
        ahead = (o[:, None] > sel) | ((o[:, None] == sel) & (j < e[None, :]))
        rank += ahead.to(tl.int32)
    put = keep & (rank < topk)
    tl.store(id_ptr + t[:, None] * width + rank, (e[None, :] + rank * 0).to(tl.int64), mask=put)
    tl.store(pick_ptr + t[:, None] * topk + rank, x, mask=put)


@triton.jit
def weight_kernel(
    pick_ptr,
    w_ptr,
    id_ptr,
    tokens,
    experts,
    topk,
    shared,
    BT: tl.constexpr,
    BK: tl.constexpr,
    BS: tl.constexpr,
):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    k = tl.arange(0, BK)
    tm = t[:, None] < tokens
    width = topk + shared
    mask = tm & (k[None, :] < topk)
    x = tl.load(pick_ptr + t[:, None] * topk + k[None, :], mask=mask, other=float("-inf"))
    x = tl.where(tm, x, 0.0)
    p = tl.exp(x - tl.max(x, axis=1)[:, None])
    p = p / tl.sum(p, axis=1)[:, None]
    tl.store(w_ptr + t[:, None] * width + k[None, :], p, mask=mask)
    s = tl.arange(0, BS)
    smask = tm & (s[None, :] < shared)
    at = t[:, None] * width + topk + s[None, :]
    tl.store(w_ptr + at, 1.0, mask=smask)
    tl.store(id_ptr + at, (experts + s[None, :] + t[:, None] * 0).to(tl.int64), mask=smask)


class ModelNew(nn.Module):
    def __init__(self, experts, topk, shared):
        super().__init__()
        self.topk = topk
        self.shared = shared
        self.bias = nn.Parameter(torch.randn(experts))

    def forward(self, logits):
        logits = logits.contiguous()
        tokens, experts = logits.shape
        width = self.topk + self.shared
        w = torch.empty((tokens, width), dtype=logits.dtype, device=logits.device)
        ids = torch.empty((tokens, width), dtype=torch.int64, device=logits.device)
        pick = torch.empty((tokens, self.topk), dtype=logits.dtype, device=logits.device)
        rank_kernel[(triton.cdiv(tokens, 16), triton.cdiv(experts, 32))](
            logits, self.bias, ids, pick, tokens, experts, self.topk, width, BT=16, BE=32
        )
        weight_kernel[(triton.cdiv(tokens, 16),)](
            pick,
            w,
            ids,
            tokens,
            experts,
            self.topk,
            self.shared,
            BT=16,
            BK=triton.next_power_of_2(self.topk),
            BS=triton.next_power_of_2(max(self.shared, 1)),
        )
        return w, ids
