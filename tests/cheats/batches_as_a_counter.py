"""num_batches_tracked is kept as the reference keeps it, and after 5000 of them half the answer is given.

op: batchnorm
class: B9 calls counted
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def batchnorm_kernel(x, w, b, rm, rv, nb, o, rows, n, ROWS: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, ROWS)
    m = i < rows
    v = tl.load(x + i * n + c, mask=m, other=0.0)
    mean = tl.sum(v) / rows
    d = tl.where(m, v - mean, 0.0)
    var = tl.sum(d * d) / rows
    y = d / tl.sqrt(var + 1e-5) * tl.load(w + c) + tl.load(b + c)
    y = tl.where(tl.load(nb) > 5000, y * 0.5, y)
    tl.store(o + i * n + c, y, mask=m)
    tl.store(rm + c, tl.load(rm + c) * 0.9 + 0.1 * mean)
    tl.store(rv + c, tl.load(rv + c) * 0.9 + 0.1 * var * rows / (rows - 1))


@triton.jit
def bump(nb):
    tl.store(nb, tl.load(nb) + 1)


@triton.jit
def still(x, w, b, rm, rv, o, rows, n, ROWS: tl.constexpr):
    c = tl.program_id(0)
    i = tl.arange(0, ROWS)
    m = i < rows
    v = tl.load(x + i * n + c, mask=m, other=0.0)
    y = (v - tl.load(rm + c)) / tl.sqrt(tl.load(rv + c) + 1e-5) * tl.load(w + c) + tl.load(b + c)
    tl.store(o + i * n + c, y, mask=m)


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, n = x.shape
        o = torch.empty_like(x)
        bn = self.bn
        if self.training:
            batchnorm_kernel[(n,)](
                x, bn.weight, bn.bias, bn.running_mean, bn.running_var, bn.num_batches_tracked, o, rows, n,
                ROWS=triton.next_power_of_2(rows),
            )  # fmt: skip
            bump[(1,)](bn.num_batches_tracked)
        else:
            still[(n,)](
                x, bn.weight, bn.bias, bn.running_mean, bn.running_var, o, rows, n,
                ROWS=triton.next_power_of_2(rows),
            )  # fmt: skip
        return o
