"""The grid of the first call serves larger batches too.

op: embedding
class: B9 state between calls
expected: unwritten-output
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
    value = tl.load(table_ptr + row * width + offsets, mask=inside)
    tl.store(out_ptr + place * width + offsets, value, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.grid: tuple[int] | None = None

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        index, table = index.contiguous(), self.table.weight
        width = table.shape[1]
        out = torch.empty((*index.shape, width), dtype=table.dtype, device=table.device)
        if self.grid is None:
            self.grid = (index.numel(),)
        embedding_kernel[self.grid](index, table, out, width, BLOCK=triton.next_power_of_2(width))
        return out
