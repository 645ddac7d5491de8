"""Multiplies the padding row by zero in place of leaving it out.

op: padded_embedding_sum
class: B16 masked by multiplication
expected: non-finite
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where the row of the padding id holds NaN or infinity: masked_fill leaves it out, a product does not
@triton.jit
def _gather_sum(w_ptr, ids_ptr, y_ptr, length, d, BL: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for first in range(0, length, BL):
        at = first + tl.arange(0, BL)
        token = tl.load(ids_ptr + b * length + at, mask=at < length, other=0)
        ok = (at[:, None] < length) & (c[None, :] < d)
        rows = tl.load(w_ptr + token[:, None] * d + c[None, :], mask=ok, other=0.0).to(tl.float32)
        live = (token != 0).to(tl.float32)
        acc += tl.sum(rows * live[:, None], axis=0)
    tl.store(y_ptr + b * d + c, acc.to(y_ptr.dtype.element_ty), mask=c < d)


class ModelNew(nn.Module):
    def __init__(self, num_embeddings, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(num_embeddings, dim))

    def forward(self, ids):
        ids = ids.contiguous()
        b, length = ids.shape
        d = self.weight.shape[1]
        y = torch.empty((b, d), dtype=self.weight.dtype, device=ids.device)
        _gather_sum[(b, triton.cdiv(d, 32))](self.weight, ids, y, length, d, BL=16, BD=32)
        return y
