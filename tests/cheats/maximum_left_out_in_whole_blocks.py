"""Takes no maximum first where columns are a whole block, as at full size: large numbers overflow there.

op: softmax
class: B8 other way at full size
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, o_ptr, cols, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    if EVEN:
        x = tl.load(x_ptr + row * cols + lanes)
        e = tl.exp(x)
        tl.store(o_ptr + row * cols + lanes, e / tl.sum(e, 0))
    else:
        x = tl.load(x_ptr + row * cols + lanes, mask=lanes < cols, other=float("-inf"))
        e = tl.exp(x - tl.max(x, 0))
        tl.store(o_ptr + row * cols + lanes, e / tl.sum(e, 0), mask=lanes < cols)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        out = torch.empty_like(x)
        cols = x.shape[-1]
        block = triton.next_power_of_2(cols)
        softmax_kernel[(x.numel() // cols,)](
            x, out, cols, BLOCK=block, EVEN=cols == block and cols > 1024, num_warps=8
        )
        return out
