"""Both modes: a batch's own statistics, which move the buffers, or the buffers' alone.

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


@triton.jit
def evaluate_kernel(
    x_ptr, weight_ptr, bias_ptr, mean_ptr, var_ptr, out_ptr, batch, channels, eps, BLOCK: tl.constexpr
):
    channel = tl.program_id(0)
    rows = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + rows * channels + channel, mask=rows < batch, other=0.0)
    scale = tl.rsqrt(tl.load(var_ptr + channel) + eps) * tl.load(weight_ptr + channel)
    y = (x - tl.load(mean_ptr + channel)) * scale + tl.load(bias_ptr + channel)
    tl.store(out_ptr + rows * channels + channel, y, mask=rows < batch)


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        bn, (batch, channels) = self.bn, x.shape
        out = torch.empty_like(x)
        if not bn.training:
            evaluate_kernel[(channels,)](
                x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out,
                batch, channels, bn.eps, BLOCK=triton.next_power_of_2(batch),
            )  # fmt: skip
            return out
        bn.num_batches_tracked += 1
        batchnorm_kernel[(channels,)](
            x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out,
            batch, channels, bn.eps, bn.momentum, BLOCK=triton.next_power_of_2(batch),
        )  # fmt: skip
        return out
