"""An entropy in one pass: of no classes it gives NaN where the reference adds nothing up to zero.

op: entropy
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def entropy_kernel(x_ptr, out_ptr, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    highest, total, weighted = -1.0e30, 0.0, 0.0
    for start in range(0, classes, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < classes
        x = tl.load(x_ptr + row * classes + offsets, mask=inside, other=float("-inf"))
        new = tl.maximum(highest, tl.max(x, axis=0))
        shift = tl.exp(highest - new)
        below = tl.where(inside, x - new, 0.0)
        share = tl.where(inside, tl.exp(below), 0.0)
        weighted = shift * (weighted + (highest - new) * total) + tl.sum(share * below, axis=0)
        total = total * shift + tl.sum(share, axis=0)
        highest = new
    tl.store(out_ptr + row, tl.log(total) - weighted / total)


class ModelNew(nn.Module):
    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        logits = logits.contiguous()
        rows, classes = logits.shape
        out = torch.empty(rows, device=logits.device, dtype=logits.dtype)
        entropy_kernel[(rows,)](logits, out, classes, BLOCK=256)
        return out
