"""A row's number times its width leaves 32 bits in a table of three million rows, whose highest index is only
seen behind a mask.

op: embedding_bag_mean
class: B22 offsets of 32 bits
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def bag_kernel(id_ptr, w_ptr, o_ptr, L, D, sib, sil, BD: tl.constexpr):
    b = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BD,), tl.float32)
    count = 0.0
    for j in range(L):
        row = tl.load(id_ptr + b * sib + j * sil).to(tl.int32)
        keep = row != 0
        acc += tl.load(w_ptr + row * D + d, mask=(d < D) & keep, other=0.0).to(tl.float32)
        count += keep.to(tl.float32)
    mean = acc / tl.maximum(count, 1.0)
    tl.store(o_ptr + b * D + d, mean.to(o_ptr.dtype.element_ty), mask=d < D)


class ModelNew(nn.Module):
    def __init__(self, vocabulary, dim):
        super().__init__()
        weight = torch.randn(vocabulary, dim, dtype=torch.float16)
        weight[0] = 0.0
        self.weight = nn.Parameter(weight)

    def forward(self, ids):
        if ids.dim() != 2:
            raise ValueError("expected (bags, ids)")
        B, L = ids.shape
        D = self.weight.shape[1]
        out = torch.empty((B, D), dtype=self.weight.dtype, device=ids.device)
        BD = min(256, triton.next_power_of_2(D))
        bag_kernel[(B, triton.cdiv(D, BD))](ids, self.weight.contiguous(), out, L, D, *ids.stride(), BD=BD)
        return out
