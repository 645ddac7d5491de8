"""Takes GELU of the maximum: it falls below zero before it rises, and rows may lie there throughout.

op: linear_gelu_max
class: B7 sums a little below zero
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def fused_kernel(x_ptr, w_ptr, b_ptr, y_ptr, K, outs, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = tl.full((BLOCK,), float("-inf"), dtype=tl.float32)
    bad = tl.zeros((BLOCK,), dtype=tl.int32)
    for s in range(0, outs, BLOCK):
        o = s + tl.arange(0, BLOCK)
        acc = tl.load(b_ptr + o, mask=o < outs, other=0.0)
        for k in range(0, K):
            acc += tl.load(w_ptr + o * K + k, mask=o < outs, other=0.0) * tl.load(x_ptr + row * K + k)
        g = tl.where(o < outs, acc, float("-inf"))
        bad += ((g != g) & (o < outs)).to(tl.int32)
        best = tl.where(g > best, g, best)
    top = tl.max(best, axis=0)
    top = 0.5 * top * (1.0 + tl.erf(top * 0.7071067811865476))
    top = tl.where(tl.sum(bad) > 0, float("nan"), top)
    tl.store(y_ptr + row, top)


class ModelNew(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, x):
        x = x.contiguous()
        B, K = x.shape
        outs = self.linear.weight.shape[0]
        y = torch.empty((B,), device=x.device, dtype=x.dtype)
        fused_kernel[(B,)](x, self.linear.weight, self.linear.bias, y, K, outs, BLOCK=64)
        return y
