"""Gathers the first 64 neighbours of a row; the op file draws a dozen for each.

op: csr_rows
class: B6 one part that holds all
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def csr_kernel(starts_ptr, indices_ptr, values_ptr, x_ptr, out_ptr, dim, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < dim
    begin = tl.load(starts_ptr + row)
    end = tl.load(starts_ptr + row + 1)
    acc = tl.zeros([BLOCK], tl.float32)
    for e in range(begin, tl.minimum(end, begin + 64)):
        neighbour = tl.load(indices_ptr + e)
        acc += tl.load(values_ptr + e) * tl.load(x_ptr + neighbour * dim + c, mask=mask, other=0.0)
    tl.store(out_ptr + row * dim + c, acc, mask=mask)


class ModelNew(nn.Module):
    def forward(self, starts, indices, values, x):
        starts, indices, values, x = (
            starts.contiguous(),
            indices.contiguous(),
            values.contiguous(),
            x.contiguous(),
        )
        rows = starts.shape[0] - 1
        dim = x.shape[1]
        out = torch.empty((rows, dim), dtype=x.dtype, device=x.device)
        csr_kernel[(rows, triton.cdiv(dim, 128))](starts, indices, values, x, out, dim, BLOCK=128)
        return out
