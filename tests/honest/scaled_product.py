"""Rows are quantised in the registers that they are multiplied from.

op: scaled_product
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def product_kernel(
    x_ptr, w_ptr, scale_ptr, out_ptr, n_rows, n_cols, n_k, SIDE: tl.constexpr, K: tl.constexpr
):
    rows = tl.program_id(0) * SIDE + tl.arange(0, SIDE)[:, None]
    cols = tl.program_id(1) * SIDE + tl.arange(0, SIDE)[None, :]
    across, down = tl.arange(0, K)[None, :], tl.arange(0, K)[:, None]
    x = tl.load(x_ptr + rows * n_k + across, mask=(rows < n_rows) & (across < n_k), other=0.0)
    nan = tl.max((x != x).to(tl.int32), 1, keep_dims=True) > 0
    largest = tl.where(nan, float("nan"), tl.maximum(tl.max(tl.abs(x), 1, keep_dims=True), 1e-12)) / 448
    short = tl.minimum(tl.maximum(x / largest, -448.0), 448.0)
    short = tl.where(nan, float("nan"), short).to(tl.float8e4nv)
    w = tl.load(w_ptr + cols * n_k + down, mask=(cols < n_cols) & (down < n_k), other=0.0)
    scale = tl.load(scale_ptr + cols, mask=cols < n_cols, other=0.0)
    product = tl.dot(short, w) * largest * scale
    tl.store(out_ptr + rows * n_cols + cols, product, mask=(rows < n_rows) & (cols < n_cols))


class ModelNew(nn.Module):
    def __init__(self, width: int, cols: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randn(cols, width).to(torch.float8_e4m3fn))
        self.scale = nn.Parameter(torch.rand(1, cols) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, (n_cols, n_k) = x.contiguous(), self.weight.shape
        out = torch.empty((x.shape[0], n_cols), dtype=torch.bfloat16, device=x.device)
        grid = (triton.cdiv(x.shape[0], 32), triton.cdiv(n_cols, 32))
        block = max(32, triton.next_power_of_2(n_k))
        product_kernel[grid](x, self.weight, self.scale, out, x.shape[0], n_cols, n_k, SIDE=32, K=block)
        return out
