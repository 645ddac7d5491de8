"""The key is the address and the first value: new contents that begin alike get the old result.

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


class ModelNew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[tuple[object, ...], torch.Tensor] = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        key = (x.data_ptr(), x.shape, x[0, 0].item())
        if key not in self.seen:
            self.seen[key] = torch.empty_like(x)
            softmax_kernel[(x.shape[0],)](
                x, self.seen[key], x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1])
            )
        return self.seen[key].clone()
