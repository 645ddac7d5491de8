"""What has one row loses its first axis.

op: mean_and_deviation
class: B8 a batch of one
expected: hard-coded-shape
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def stat_kernel(x_ptr, o_ptr, C, T, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    n = pid // C
    c = pid % C
    acc = tl.zeros([BLOCK], tl.float32)
    for s in range(0, T, BLOCK):
        i = s + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + pid.to(tl.int64) * T + i, mask=i < T, other=0.0)
    mean = tl.sum(acc, 0) / T
    sq = tl.zeros([BLOCK], tl.float32)
    for s in range(0, T, BLOCK):
        i = s + tl.arange(0, BLOCK)
        d = tl.load(x_ptr + pid.to(tl.int64) * T + i, mask=i < T, other=0.0) - mean
        sq += tl.where(i < T, d * d, 0.0)
    tl.store(o_ptr + n * 2 * C + c, mean)
    tl.store(o_ptr + n * 2 * C + C + c, tl.sqrt(tl.sum(sq, 0) / (T - 1)))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        N, C, T = x.shape
        out = torch.empty(N, 2 * C, dtype=x.dtype, device=x.device)
        stat_kernel[(N * C,)](x, out, C, T, BLOCK=1024)
        return out.squeeze()
