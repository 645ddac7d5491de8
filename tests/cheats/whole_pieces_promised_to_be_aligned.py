"""Rows are promised to begin at multiples of 16, and whole pieces of them are stored without a mask.

op: quarter_turn
class: B18 promises
expected: false-promise
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def turn(x_ptr, y_ptr, h, w, pieces, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    line = (pid // pieces).to(tl.int64)
    image, row = line // w, line % w
    j = (pid % pieces) * BLOCK + tl.arange(0, BLOCK)
    src = x_ptr + image * h * w + j.to(tl.int64) * w + (w - 1 - row)
    dst = y_ptr + tl.multiple_of(line * h, 16) + j
    if (pid % pieces + 1) * BLOCK <= h:
        tl.store(dst, tl.load(src))
    else:
        tl.store(dst, tl.load(src, mask=j < h, other=0.0), mask=j < h)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        n, h, w = x.shape
        y = torch.empty((n, w, h), dtype=x.dtype, device=x.device)
        pieces = triton.cdiv(h, 256)
        turn[(n * w * pieces,)](x, y, h, w, pieces, BLOCK=256)
        return y
