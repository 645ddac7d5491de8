"""Every expert counts how many others beat it; those of a rank below k write themselves.

op: biased_topk_router
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _order_key(x):
    bits = x.to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    return tl.where(x != x, 0x7FFFFFFF, key)


@triton.jit
def _router_kernel(
    logit_ptr, bias_ptr, gate_ptr, place_ptr, experts, top_k, row_stride, col_stride, BE: tl.constexpr
):
    row = tl.program_id(0)
    e = tl.arange(0, BE)
    ok = e < experts
    logit = tl.load(logit_ptr + row * row_stride + e * col_stride, mask=ok, other=0.0)
    key = _order_key(logit + tl.load(bias_ptr + e, mask=ok, other=0.0))
    mine = key[:, None]
    other = key[None, :]
    beats = (other > mine) | ((other == mine) & (e[None, :] < e[:, None]))
    rank = tl.sum((beats & ok[None, :]).to(tl.int32), axis=1)
    chosen = ok & (rank < top_k)
    top = tl.max(tl.where(chosen, logit, float("-inf")), axis=0)
    power = tl.where(chosen, tl.exp(logit - top), 0.0)
    gate = power / tl.sum(power, axis=0)
    tl.store(gate_ptr + row * top_k + rank, gate, mask=chosen)
    tl.store(place_ptr + row * top_k + rank, e.to(tl.int64), mask=chosen)


class ModelNew(nn.Module):
    def __init__(self, experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.bias = nn.Parameter(torch.randn(experts) * 0.1)

    def forward(self, logits):
        tokens, experts = logits.shape
        gates = torch.empty((tokens, self.top_k), dtype=logits.dtype, device=logits.device)
        places = torch.empty((tokens, self.top_k), dtype=torch.int64, device=logits.device)
        _router_kernel[(tokens,)](
            logits,
            self.bias,
            gates,
            places,
            experts,
            self.top_k,
            logits.stride(0),
            logits.stride(1),
            BE=triton.next_power_of_2(experts),
            num_warps=8,
        )
        return gates, places
