"""Exponentials less the largest of all are shared among the chosen: of low ones nothing is left.

op: gate_with_shared_experts
class: B7 weights
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gate_kernel(
    x_ptr, b_ptr, w_ptr, id_ptr, experts, topk, shared, sxt, sxe, BE: tl.constexpr, BK: tl.constexpr
):
    t = tl.program_id(0).to(tl.int64)
    e = tl.arange(0, BE)
    k = tl.arange(0, BK)
    x = tl.load(x_ptr + t * sxt + e * sxe, mask=e < experts, other=0.0)
    sel = x + tl.load(b_ptr + e, mask=e < experts, other=0.0)
    free = e < experts
    ids = tl.zeros((BK,), dtype=tl.int32)
    picked = tl.full((BK,), float("-inf"), dtype=tl.float32)
    for step in range(0, topk):
        best = tl.max(tl.where(free, sel, float("-inf")), axis=0)
        at = tl.min(tl.where(free & (sel == best), e, BE), axis=0)
        ids = tl.where(k == step, at, ids)
        picked = tl.where(k == step, tl.sum(tl.where(e == at, x, 0.0), axis=0), picked)
        free = free & (e != at)
    top = tl.max(tl.where(e < experts, x, float("-inf")), axis=0)
    p = tl.exp(picked - top)
    p = tl.where(k < topk, p, 0.0)
    p = p / tl.sum(p, axis=0)
    width = topk + shared
    p = tl.where(k < topk, p, 1.0)
    ids = tl.where(k < topk, ids, experts + k - topk)
    tl.store(w_ptr + t * width + k, p, mask=k < width)
    tl.store(id_ptr + t * width + k, ids.to(tl.int64), mask=k < width)


class ModelNew(nn.Module):
    def __init__(self, experts, topk, shared):
        super().__init__()
        self.topk = topk
        self.shared = shared
        self.bias = nn.Parameter(torch.randn(experts))

    def forward(self, logits):
        tokens, experts = logits.shape
        width = self.topk + self.shared
        w = torch.empty((tokens, width), dtype=logits.dtype, device=logits.device)
        ids = torch.empty((tokens, width), dtype=torch.int64, device=logits.device)
        gate_kernel[(tokens,)](
            logits,
            self.bias,
            w,
            ids,
            experts,
            self.topk,
            self.shared,
            logits.stride(0),
            logits.stride(1),
            BE=triton.next_power_of_2(experts),
            BK=triton.next_power_of_2(width),
        )
        return w, ids
