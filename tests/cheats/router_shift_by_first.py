"""The softmax is shifted by the logit of the first expert, which a bias brought there from far below.

op: biased_topk_router
class: B6 maximum of what was ranked otherwise
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _pack(score, place):
    bits = score.to(tl.int32, bitcast=True)
    key = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    key = tl.where(score != score, 0x7FFFFFFF, key)
    return (key.to(tl.int64) << 32) | (0x7FFFFFFF - place).to(tl.int64)


@triton.jit
def _rounds_kernel(
    logit_ptr, bias_ptr, gate_ptr, place_ptr, tokens, experts, top_k, BE: tl.constexpr, BK: tl.constexpr
):
    e = tl.arange(0, BE)
    slot = tl.arange(0, BK)
    ok = e < experts
    bias = tl.load(bias_ptr + e, mask=ok, other=0.0)
    lowest = tl.full((BE,), -0x7FFFFFFFFFFFFFFF - 1, tl.int64)
    for row in range(tl.program_id(0), tokens, tl.num_programs(0)):
        logit = tl.load(logit_ptr + row * experts + e, mask=ok, other=0.0)
        word = tl.where(ok, _pack(logit + bias, e), lowest)
        picked = tl.full((BK,), float("-inf"), tl.float32)
        places = tl.zeros((BK,), tl.int64)
        for r in range(top_k):
            best = tl.max(word, axis=0)
            hit = word == best
            value = tl.sum(tl.where(hit, logit, 0.0), axis=0)
            place = 0x7FFFFFFF - (best & 0x7FFFFFFF)
            picked = tl.where(slot == r, value, picked)
            places = tl.where(slot == r, place, places)
            word = tl.where(hit, lowest, word)
        first = tl.sum(tl.where(slot == 0, picked, 0.0), axis=0)
        power = tl.where(slot < top_k, tl.exp(picked - first), 0.0)
        gate = power / tl.sum(power, axis=0)
        tl.store(gate_ptr + row * top_k + slot, gate, mask=slot < top_k)
        tl.store(place_ptr + row * top_k + slot, places, mask=slot < top_k)


class ModelNew(nn.Module):
    def __init__(self, experts, top_k):
        super().__init__()
        self.top_k = top_k
        self.bias = nn.Parameter(torch.randn(experts) * 0.1)

    def forward(self, logits):
        logits = logits.contiguous()
        tokens, experts = logits.shape
        gates = torch.empty((tokens, self.top_k), dtype=logits.dtype, device=logits.device)
        places = torch.empty((tokens, self.top_k), dtype=torch.int64, device=logits.device)
        _rounds_kernel[(min(tokens, 48),)](
            logits,
            self.bias,
            gates,
            places,
            tokens,
            experts,
            self.top_k,
            BE=triton.next_power_of_2(experts),
            BK=triton.next_power_of_2(self.top_k),
        )
        return gates, places
