"""Exponentials wait in the output and are scaled there, each by the lane that stored it.

op: softmax
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    lanes = tl.arange(0, BLOCK)
    peak = -float("inf")
    for start in range(0, columns, BLOCK):
        inside = start + lanes < columns
        x = tl.load(x_ptr + row + start + lanes, mask=inside, other=-float("inf"))
        peak = tl.maximum(peak, tl.max(x, axis=0))
    total = 0.0
    for start in range(0, columns, BLOCK):
        inside = start + lanes < columns
        e = tl.exp(tl.load(x_ptr + row + start + lanes, mask=inside, other=-float("inf")) - peak)
        tl.store(out_ptr + row + start + lanes, e, mask=inside)
        total += tl.sum(e, axis=0)
    for start in range(0, columns, BLOCK):
        inside = start + lanes < columns
        e = tl.load(out_ptr + row + start + lanes, mask=inside)
        tl.store(out_ptr + row + start + lanes, e / total, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        out = torch.empty_like(x)
        softmax_kernel[(rows,)](x, out, columns, BLOCK=512)
        return out
