"""Taps outside the image are read wherever they fall, and multiplied by zero.

op: conv
class: B18 memory
expected: out-of-bounds
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def conv_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, channels, out_channels, height, width, TAPS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    plane, pixel = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    image, channel = plane // out_channels, plane % out_channels
    k = tl.arange(0, TAPS)
    source, tap = k // 9, k % 9
    y = (pixel // width)[None, :] + (tap // 3)[:, None] - 1
    x = (pixel % width)[None, :] + (tap % 3)[:, None] - 1
    used = k < channels * 9
    seen = used[:, None] & (y >= 0) & (y < height) & (x >= 0) & (x < width)
    place = ((image * channels + source)[:, None] * height + y) * width + x
    value = tl.where(seen, tl.load(x_ptr + place), 0.0)
    weight = tl.load(weight_ptr + channel * channels * 9 + k, mask=used, other=0.0)
    total = tl.sum(value * weight[:, None], axis=0) + tl.load(bias_ptr + channel)
    tl.store(out_ptr + plane * height * width + pixel, total, mask=pixel < height * width)


class ModelNew(nn.Module):
    def __init__(self, channels: int, out: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, out, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        batch, channels, height, width = x.shape
        conv, out_channels = self.conv, self.conv.out_channels
        out = torch.empty((batch, out_channels, height, width), dtype=x.dtype, device=x.device)
        grid = (batch * out_channels, triton.cdiv(height * width, 128))
        taps = triton.next_power_of_2(channels * 9)
        conv_kernel[grid](
            x, conv.weight, conv.bias, out, channels, out_channels, height, width, TAPS=taps, BLOCK=128
        )
        return out
