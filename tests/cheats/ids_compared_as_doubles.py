"""Ids are compared as doubles, in which 2^60 and the number after it are one.

op: row_isin
class: B6 inputs
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def isin_kernel(items_ptr, history_ptr, out_ptr, items, history, BLOCK: tl.constexpr):
    row, lanes = tl.program_id(0), tl.arange(0, BLOCK)
    one = tl.load(items_ptr + row * items + lanes, mask=lanes < items, other=0).to(tl.float64)
    found = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, history, BLOCK):
        places = start + lanes
        other = tl.load(history_ptr + row * history + places, mask=places < history, other=0).to(tl.float64)
        same = (one[:, None] == other[None, :]) & (places < history)[None, :]
        found = tl.maximum(found, tl.max(same.to(tl.int32), axis=1))
    tl.store(out_ptr + row * items + lanes, found > 0, mask=lanes < items)


class ModelNew(nn.Module):
    def forward(self, items: torch.Tensor, history: torch.Tensor) -> torch.Tensor:
        items, history = items.contiguous(), history.contiguous()
        rows, count = items.shape
        out = torch.empty(rows, count, device=items.device, dtype=torch.bool)
        block = triton.next_power_of_2(max(count, 16))
        isin_kernel[(rows,)](items, history, out, count, history.shape[1], BLOCK=block)
        return out
