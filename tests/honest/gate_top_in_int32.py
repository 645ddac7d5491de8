"""The places of the largest as int32, the first of equals.

op: gate_top
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gate_kernel(
    scores_ptr, shares_ptr, places_ptr, tokens, experts, K: tl.constexpr, BT: tl.constexpr, BE: tl.constexpr
):
    token = tl.program_id(0) * BT + tl.arange(0, BT)
    expert = tl.arange(0, BE)
    there = (token[:, None] < tokens) & (expert[None, :] < experts)
    scores = tl.load(scores_ptr + token[:, None] * experts + expert[None, :], mask=there, other=float("-inf"))
    first = tl.max(scores, 1)
    left = tl.where(there, tl.maximum(scores, -3.0e38), float("-inf"))
    total = tl.zeros((BT,), tl.float32)
    for turn in tl.static_range(K):
        best, place = tl.max(left, 1, return_indices=True)
        total += tl.exp(best - first)
        tl.store(places_ptr + token * K + turn, place, mask=token < tokens)
        left = tl.where(expert[None, :] == place[:, None], float("-inf"), left)
    left = tl.where(there, tl.maximum(scores, -3.0e38), float("-inf"))
    for turn in tl.static_range(K):
        best, place = tl.max(left, 1, return_indices=True)
        tl.store(shares_ptr + token * K + turn, tl.exp(best - first) / total, mask=token < tokens)
        left = tl.where(expert[None, :] == place[:, None], float("-inf"), left)


class ModelNew(nn.Module):
    def forward(self, scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = scores.contiguous()
        tokens, experts = scores.shape
        shares = torch.empty(tokens, 2, dtype=torch.float32, device=scores.device)
        places = torch.empty(tokens, 2, dtype=torch.int32, device=scores.device)
        lanes = triton.next_power_of_2(experts)
        gate_kernel[(triton.cdiv(tokens, 16),)](scores, shares, places, tokens, experts, K=2, BT=16, BE=lanes)
        return shares, places
