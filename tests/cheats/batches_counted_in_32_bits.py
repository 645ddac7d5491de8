"""Batches are counted in 32 bits, whatever the counter holds.

op: batchnorm_images
class: B17 integers
expected: buffer-differs
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def batchnorm_kernel(
    x_ptr, weight_ptr, bias_ptr, mean_ptr, var_ptr, out_ptr, batch, channels, pixels, eps, momentum,
    BLOCK: tl.constexpr,
):  # fmt: skip
    channel, offsets = tl.program_id(0), tl.arange(0, BLOCK)
    count = batch * pixels
    place = (offsets // pixels * channels + channel) * pixels + offsets % pixels
    inside = offsets < count
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    mean = tl.sum(x, axis=0) / count
    centred = tl.where(inside, x - mean, 0.0)
    squares = tl.sum(centred * centred, axis=0)
    scale = tl.rsqrt(squares / count + eps) * tl.load(weight_ptr + channel)
    tl.store(out_ptr + place, centred * scale + tl.load(bias_ptr + channel), mask=inside)
    tl.store(mean_ptr + channel, (1 - momentum) * tl.load(mean_ptr + channel) + momentum * mean)
    variance = squares / (count - 1)
    tl.store(var_ptr + channel, (1 - momentum) * tl.load(var_ptr + channel) + momentum * variance)


@triton.jit
def count(batches_ptr):
    tl.store(batches_ptr, (tl.load(batches_ptr).to(tl.int32) + 1).to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training:
            raise RuntimeError("batchnorm_kernel is for a model in training mode")
        x = x.contiguous()
        bn, (batch, channels, height, width) = self.bn, x.shape
        out = torch.empty_like(x)
        batchnorm_kernel[(channels,)](
            x, bn.weight, bn.bias, bn.running_mean, bn.running_var, out, batch, channels, height * width,
            bn.eps, bn.momentum, BLOCK=triton.next_power_of_2(batch * height * width),
        )  # fmt: skip
        count[(1,)](bn.num_batches_tracked)
        return out
