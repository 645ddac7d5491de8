"""It casts the number of columns, which is not specialised.

op: rows_less_their_mean
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit(do_not_specialize=["columns"])
def centre(x_ptr, out_ptr, mean_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = row.to(tl.int64) * stride
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + base + c, mask=c < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns.to(tl.float32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + base + c, mask=c < columns, other=0.0)
        tl.store(out_ptr + base + c, x - mean, mask=c < columns)
    tl.store(mean_ptr + row, mean)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        rows, columns = x.shape
        out, mean = torch.empty_like(x), torch.empty(rows, 1, device=x.device)
        centre[(rows,)](x, out, mean, x.stride(0), columns, BLOCK=128)
        return out, mean
