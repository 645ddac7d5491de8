"""Clamped before it is rounded, which makes a number of nothing divided by nothing.

op: quantise_rows
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def fq_kernel(x_ptr, s_ptr, z_ptr, o_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offs = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < cols
    scale = tl.load(s_ptr + row)
    zero = tl.load(z_ptr + row).to(tl.float32)
    q = tl.div_rn(tl.load(x_ptr + row * cols + offs, mask=mask, other=0.0), scale)
    q = tl.minimum(tl.maximum(q, -100000.0), 100000.0)
    q = (q + 12582912.0) - 12582912.0
    q = tl.minimum(tl.maximum(q + zero, -128.0), 127.0)
    tl.store(o_ptr + row * cols + offs, (q - zero) * scale, mask=mask)


class ModelNew(nn.Module):
    def forward(self, x, scale, zero):
        x, scale, zero = x.contiguous(), scale.contiguous(), zero.contiguous()
        rows, cols = x.shape
        out = torch.empty_like(x)
        fq_kernel[(rows, triton.cdiv(cols, 1024))](x, scale, zero, out, cols, BLOCK=1024)
        return out
