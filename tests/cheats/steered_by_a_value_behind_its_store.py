"""Each token's count goes through memory and then decides, in every lane, whether its block is stored.

op: rank_among_equals
class: B18 race inside a program
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn

EXPERTS = 8


@triton.jit
def rank_kernel(experts_ptr, counts_ptr, ranks_ptr, tokens):
    for token in range(tokens):
        expert = tl.load(experts_ptr + token)
        count = tl.load(counts_ptr + expert)
        if count + 1 > 1:
            tl.store(ranks_ptr + token + tl.arange(0, 1), count + tl.zeros((1,), tl.int64))
        tl.store(counts_ptr + expert, count + 1)


class ModelNew(nn.Module):
    def forward(self, experts: torch.Tensor) -> torch.Tensor:
        experts = experts.contiguous()
        counts = torch.zeros(EXPERTS, dtype=torch.int64, device=experts.device)
        ranks = torch.zeros_like(experts)
        rank_kernel[(1,)](experts, counts, ranks, experts.numel())
        return ranks
