"""Row zero of the table is taken for padding.

op: embedding
class: B6 untaken branch
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def embedding_kernel(index_ptr, table_ptr, out_ptr, width, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < width
    row = tl.load(index_ptr + place)
    value = tl.load(table_ptr + row * width + offsets, mask=inside & (row > 0), other=0.0)
    tl.store(out_ptr + place * width + offsets, value, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        index, table = index.contiguous(), self.table.weight
        width = table.shape[1]
        out = torch.empty((*index.shape, width), dtype=table.dtype, device=table.device)
        embedding_kernel[(index.numel(),)](index, table, out, width, BLOCK=triton.next_power_of_2(width))
        return out
