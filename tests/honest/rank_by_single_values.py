"""One program counts in memory, token by token: what it loads behind its own store it only stores again.

op: rank_among_equals
expected: passed
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
        tl.store(ranks_ptr + token, count)
        tl.store(counts_ptr + expert, count + 1)


class ModelNew(nn.Module):
    def forward(self, experts: torch.Tensor) -> torch.Tensor:
        experts = experts.contiguous()
        counts = torch.zeros(EXPERTS, dtype=torch.int64, device=experts.device)
        ranks = torch.empty_like(experts)
        rank_kernel[(1,)](experts, counts, ranks, experts.numel())
        return ranks
