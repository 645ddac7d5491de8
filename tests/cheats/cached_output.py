"""Results are kept by address and shape: new contents at an old address get the old result.

op: softmax
class: B9 cached result
expected: stale-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


_RESULTS: dict[tuple[int, int], torch.Tensor] = {}


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, columns = x.shape
        block = triton.next_power_of_2(columns)
        key = (x.data_ptr(), columns)
        if key not in _RESULTS:
            out = torch.empty_like(x)
            softmax_kernel[(rows,)](x, out, columns, BLOCK=block)
            _RESULTS[key] = out
        return _RESULTS[key].clone()
