"""From the last place to the first, maximum and sum of the rest in registers.

op: list_likelihood
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def from_the_last(score_ptr, length_ptr, out_ptr, lists, longest, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = row < lists
    length = tl.load(length_ptr + row, mask=inside, other=0)
    peak = tl.full((BLOCK,), float("-inf"), tl.float32)
    rest = tl.zeros((BLOCK,), tl.float32)
    loss = tl.zeros((BLOCK,), tl.float32)
    for back in range(0, longest):
        place = longest - 1 - back
        kept = inside & (place < length)
        score = tl.load(score_ptr + row * longest + place, mask=kept, other=float("-inf"))
        higher = tl.maximum(peak, score)
        shift = tl.where(higher == float("-inf"), 0.0, higher)
        rest = rest * tl.exp(peak - shift) + tl.exp(score - shift)
        peak = higher
        loss += tl.where(kept, (peak - score) + tl.log(rest), 0.0)
    tl.store(out_ptr + row, loss, mask=inside)


class ModelNew(nn.Module):
    def forward(self, scores: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        scores, lengths = scores.contiguous(), lengths.contiguous()
        lists, longest = scores.shape
        out = torch.empty(lists, dtype=scores.dtype, device=scores.device)
        from_the_last[(triton.cdiv(lists, 32),)](scores, lengths, out, lists, longest, BLOCK=32)
        return out
