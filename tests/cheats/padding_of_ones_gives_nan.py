"""The running maximum begins at minus infinity: padding on the left that fills the first tile makes NaN.

op: softmax_of_ones
class: B16 padding on the left
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, a_ptr, o_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    top = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for b in range(0, n, BLOCK):
        i = b + j
        keep = tl.load(a_ptr + row * n + i, mask=i < n, other=0) != 0
        x = tl.load(x_ptr + row * n + i, mask=keep & (i < n), other=float("-inf"))
        new = tl.maximum(top, tl.max(x, 0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), 0)
        top = new
    for b in range(0, n, BLOCK):
        i = b + j
        keep = tl.load(a_ptr + row * n + i, mask=i < n, other=0) != 0
        x = tl.load(x_ptr + row * n + i, mask=keep & (i < n), other=float("-inf"))
        tl.store(o_ptr + row * n + i, tl.exp(x - top) / total, mask=i < n)


class ModelNew(nn.Module):
    def forward(self, scores, attention_mask):
        scores, attention_mask = scores.contiguous(), attention_mask.contiguous()
        out = torch.empty_like(scores)
        rows, n = scores.shape
        k[(rows,)](scores, attention_mask, out, n, BLOCK=64)
        return out
