"""The row's number times its length is a 32-bit number, and the table's last rows lie beyond those.

op: embedding_huge
class: B22 full size
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def gather_kernel(table_ptr, index_ptr, out_ptr, width, BLOCK: tl.constexpr):
    place = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index_ptr + place)
    values = tl.load(table_ptr + row * width + column, mask=column < width)
    tl.store(out_ptr + place.to(tl.int64) * width + column, values, mask=column < width)


class ModelNew(nn.Module):
    def forward(self, table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        table, index = table.contiguous(), index.contiguous()
        count, width = index.numel(), table.shape[1]
        out = torch.empty(count, width, dtype=table.dtype, device=table.device)
        gather_kernel[(count, triton.cdiv(width, 1024))](table, index, out, width, BLOCK=1024)
        return out
