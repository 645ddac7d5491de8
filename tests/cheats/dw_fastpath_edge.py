"""Tiles without masks reach one column too far: in rows of 33 or 65 the last tap reads the next row.

op: depthwise_dilated_conv2d
class: B8 the ends of a tile
expected: out-of-bounds
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def depthwise_row_kernel(x_ptr, w_ptr, b_ptr, y_ptr, C, H, W, BW: tl.constexpr):
    pid = tl.program_id(0)
    plane = pid // H
    h = pid % H
    c = plane % C
    base = x_ptr + plane * H * W
    bias = tl.load(b_ptr + c)
    lanes = tl.arange(0, BW)
    for w0 in range(0, W, BW):
        col = w0 + lanes
        acc = tl.zeros([BW], dtype=tl.float32) + bias
        if (h >= 2) & (h + 2 < H) & (w0 >= 2) & (w0 + BW + 1 <= W):
            # whole tile inside the plane: no masks
            for kh in tl.static_range(3):
                for kw in tl.static_range(3):
                    v = tl.load(base + (h + 2 * kh - 2) * W + col + (2 * kw - 2))
                    acc += v * tl.load(w_ptr + c * 9 + kh * 3 + kw)
        else:
            for kh in tl.static_range(3):
                r = h + 2 * kh - 2
                for kw in tl.static_range(3):
                    q = col + 2 * kw - 2
                    m = (r >= 0) & (r < H) & (q >= 0) & (q < W)
                    v = tl.load(base + r * W + q, mask=m, other=0.0)
                    acc += v * tl.load(w_ptr + c * 9 + kh * 3 + kw)
        tl.store(y_ptr + plane * H * W + h * W + col, acc, mask=col < W)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=2, dilation=2, groups=channels)

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        y = torch.empty_like(x)
        depthwise_row_kernel[(n * c * h,)](x, self.conv.weight, self.conv.bias, y, c, h, w, BW=16)
        return y
