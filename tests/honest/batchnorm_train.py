"""Statistics of one channel per program; the running buffers move as torch moves them; evaluating is refused.

op: batchnorm
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def batchnorm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    mean_ptr,
    var_ptr,
    out_ptr,
    batch,
    channels,
    eps,
    momentum,
    BLOCK: tl.constexpr,
):
    channel = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    inside = rows < batch
    x = tl.load(x_ptr + rows * channels + channel, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / batch
    centred = tl.where(inside, x - mean, 0.0)
    squares = tl.sum(centred * centred, axis=0)
    scale = tl.rsqrt(squares / batch + eps) * tl.load(weight_ptr + channel)
    tl.store(out_ptr + rows * channels + channel, centred * scale + tl.load(bias_ptr + channel), mask=inside)
    tl.store(mean_ptr + channel, (1 - momentum) * tl.load(mean_ptr + channel) + momentum * mean)
    tl.store(
        var_ptr + channel, (1 - momentum) * tl.load(var_ptr + channel) + momentum * squares / (batch - 1)
    )


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            raise RuntimeError("batchnorm_kernel is for a model in training mode")
        x = x.contiguous()
        bn, (batch, channels) = self.bn, x.shape
        bn.num_batches_tracked += 1
        out = torch.empty_like(x)
        batchnorm_kernel[(channels,)](
            x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out,
            batch, channels, bn.eps, bn.momentum, BLOCK=triton.next_power_of_2(batch),
        )  # fmt: skip
        return out
