"""Takes exponentials of learnt transitions as they are; large ones overflow.

op: chain_partition
class: B7 added weights far out
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def crf_kernel(
    emissions_ptr, lengths_ptr, transitions_ptr, start_ptr, end_ptr, out_ptr, steps, tags, BLOCK: tl.constexpr
):
    batch = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    mask = i < tags
    low = float("-inf")
    move = tl.load(
        transitions_ptr + i[:, None] * tags + i[None, :], mask=mask[:, None] & mask[None, :], other=0.0
    )
    move = tl.where(mask[None, :], move, low)
    factor = tl.exp(move)
    length = tl.minimum(tl.load(lengths_ptr + batch), steps)
    alpha = tl.load(start_ptr + i, mask=mask, other=low) + tl.load(
        emissions_ptr + batch * steps * tags + i, mask=mask, other=0.0
    )
    for t in range(1, length):
        top = tl.max(alpha, 0)
        moved = top + tl.log(tl.sum(tl.exp(alpha - top)[:, None] * factor, 0))
        alpha = moved + tl.load(emissions_ptr + (batch * steps + t) * tags + i, mask=mask, other=0.0)
    last = alpha + tl.load(end_ptr + i, mask=mask, other=0.0)
    top = tl.max(last, 0)
    tl.store(out_ptr + batch, top + tl.log(tl.sum(tl.exp(last - top), 0)))


class ModelNew(nn.Module):
    def __init__(self, tags: int) -> None:
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.start = nn.Parameter(torch.randn(tags) * 0.1)
        self.end = nn.Parameter(torch.randn(tags) * 0.1)

    def forward(self, emissions, lengths):
        emissions, lengths = emissions.contiguous(), lengths.contiguous()
        b, t, c = emissions.shape
        out = torch.empty(b, dtype=emissions.dtype, device=emissions.device)
        crf_kernel[(b,)](
            emissions,
            lengths,
            self.transitions,
            self.start,
            self.end,
            out,
            t,
            c,
            BLOCK=triton.next_power_of_2(c),
        )
        return out
