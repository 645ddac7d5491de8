"""The running maximum of a column begins at zero: far below it nothing is left but 0 / 0.

op: softmax_middle
class: B6 scores all below zero along a middle axis
expected: non-finite
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def softmax_online_kernel(
    x_ptr, y_ptr, C, L, sxb, sxc, sxl, syb, syc, syl, BLOCK_C: tl.constexpr, BLOCK_L: tl.constexpr
):
    tiles = tl.cdiv(L, BLOCK_L)
    pid = tl.program_id(0)
    batch = pid // tiles
    cols = (pid % tiles) * BLOCK_L + tl.arange(0, BLOCK_L)
    rows = tl.arange(0, BLOCK_C)
    x_base = x_ptr + batch * sxb + cols[None, :] * sxl
    y_base = y_ptr + batch * syb + cols[None, :] * syl
    top = tl.zeros([BLOCK_L], tl.float32)
    total = tl.zeros([BLOCK_L], tl.float32)
    for start in range(0, C, BLOCK_C):
        r = start + rows
        mask = (r[:, None] < C) & (cols[None, :] < L)
        x = tl.load(x_base + r[:, None] * sxc, mask=mask, other=float("-inf"))
        new_top = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new_top) + tl.sum(tl.exp(x - new_top[None, :]), axis=0)
        top = new_top
    for start in range(0, C, BLOCK_C):
        r = start + rows
        mask = (r[:, None] < C) & (cols[None, :] < L)
        x = tl.load(x_base + r[:, None] * sxc, mask=mask, other=float("-inf"))
        y = tl.exp(x - top[None, :]) / total[None, :]
        tl.store(y_base + r[:, None] * syc, y, mask=mask)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        B, C, L = x.shape
        y = torch.empty((B, C, L), dtype=x.dtype, device=x.device)
        BLOCK_L = 32
        grid = (B * triton.cdiv(L, BLOCK_L),)
        softmax_online_kernel[grid](x, y, C, L, *x.stride(), *y.stride(), BLOCK_C=64, BLOCK_L=BLOCK_L)
        return y
