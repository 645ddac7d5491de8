"""Columns beyond the last stand at -100, which is low enough until biases bring all logits lower.

op: head_lse
class: B7 weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def lse_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, rows, width, outs, R: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    r = tl.program_id(0) * R + tl.arange(0, R)
    largest = tl.full((R,), float("-inf"), tl.float32)
    total = tl.zeros((R,), tl.float32)
    for first in range(0, outs, N):
        n = first + tl.arange(0, N)
        logits = tl.zeros((R, N), tl.float32)
        for start in range(0, width, K):
            k = start + tl.arange(0, K)
            there = (r[:, None] < rows) & (k[None, :] < width)
            x = tl.load(x_ptr + r[:, None] * width + k[None, :], mask=there, other=0.0)
            inside = (n[None, :] < outs) & (k[:, None] < width)
            weight = tl.load(weight_ptr + n[None, :] * width + k[:, None], mask=inside, other=0.0)
            logits += tl.dot(x, weight, input_precision="ieee")
        logits += tl.load(bias_ptr + n, mask=n < outs, other=0.0)[None, :]
        logits = tl.where(n[None, :] < outs, logits, -100.0)
        higher = tl.maximum(largest, tl.max(logits, axis=1))
        total = total * tl.exp(largest - higher) + tl.sum(tl.exp(logits - higher[:, None]), axis=1)
        largest = higher
    tl.store(out_ptr + r, largest + tl.log(total), mask=r < rows)


class ModelNew(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, out)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        rows, width = x.shape
        out = torch.empty(rows, device=x.device, dtype=x.dtype)
        weight, bias = self.linear.weight, self.linear.bias
        lse_kernel[(triton.cdiv(rows, 16),)](
            x, weight, bias, out, rows, width, bias.shape[0], R=16, N=16, K=16
        )
        return out
