"""One tile of 1024 columns, which holds a row of the op file and no longer one.

op: cosine_sim
class: B8 rows beyond full size
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def cos_kernel(x_ptr, y_ptr, o_ptr, D, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    xy = tl.zeros((BLOCK,), tl.float32)
    xx = tl.zeros((BLOCK,), tl.float32)
    yy = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, BLOCK, BLOCK):
        i = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * D + i, mask=i < D, other=0.0)
        y = tl.load(y_ptr + row * D + i, mask=i < D, other=0.0)
        xy += x * y
        xx += x * x
        yy += y * y
    nx = tl.maximum(tl.sqrt(tl.sum(xx, axis=0)), eps)
    ny = tl.maximum(tl.sqrt(tl.sum(yy, axis=0)), eps)
    tl.store(o_ptr + row, tl.sum(xy, axis=0) / nx / ny)


class ModelNew(nn.Module):
    def forward(self, x, y):
        if x.dim() != 2 or x.shape != y.shape:
            raise ValueError("expected two matrices of one shape")
        x, y = x.contiguous(), y.contiguous()
        N, D = x.shape
        out = torch.empty(N, dtype=x.dtype, device=x.device)
        cos_kernel[(N,)](x, y, out, D, 1e-8, BLOCK=min(1024, triton.next_power_of_2(D)))
        return out
