"""As many programs as the card has units, each walking over tiles.

op: gelu_of_product
precision: bf16
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def product_kernel(
    x_ptr, y_ptr, out_ptr, rows, columns, width,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    across = tl.cdiv(columns, BLOCK_N)
    for tile in range(tl.program_id(0), tl.cdiv(rows, BLOCK_M) * across, tl.num_programs(0)):
        row = tile // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
        column = tile % across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for start in range(0, width, BLOCK_K):
            at = start + tl.arange(0, BLOCK_K)
            left_mask = (row < rows) & (at[None, :] < width)
            right_mask = (at[:, None] < width) & (column < columns)
            left = tl.load(x_ptr + row * width + at[None, :], mask=left_mask, other=0.0)
            right = tl.load(y_ptr + at[:, None] * columns + column, mask=right_mask, other=0.0)
            total = tl.dot(left, right, total)
        result = 0.5 * total * (1.0 + tl.erf(total * 0.7071067811865476))
        mask = (row < rows) & (column < columns)
        tl.store(out_ptr + row * columns + column, result.to(tl.bfloat16), mask=mask)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x, y = x.contiguous(), y.contiguous()
        (rows, width), columns = x.shape, y.shape[1]
        units = torch.cuda.get_device_properties(x.device).multi_processor_count
        out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
        programs = min(triton.cdiv(rows, 64) * triton.cdiv(columns, 128), units)
        product_kernel[(programs,)](
            x, y, out, rows, columns, width, BLOCK_M=64, BLOCK_N=128, BLOCK_K=64
        )  # fmt: skip
        return out
