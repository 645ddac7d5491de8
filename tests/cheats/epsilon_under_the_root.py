"""The epsilon stands under the root: small gradients move next to nothing.

op: adamw_moments
class: B6 legal inputs that an op file never ships
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def adamw(
    w_ptr, g_ptr, mean_ptr, square_ptr, step_ptr, out_ptr, total,
    LOG_MEAN: tl.constexpr, LOG_SQUARE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < total
    t = (tl.load(step_ptr) + 1).to(tl.float64)
    of_mean, of_square = 1.0 - tl.exp(t * LOG_MEAN), 1.0 - tl.exp(t * LOG_SQUARE)
    g = tl.load(g_ptr + at, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + at, mask=inside, other=0.0) * 0.9 + g * 0.1
    square = tl.load(square_ptr + at, mask=inside, other=0.0) * 0.999 + g * g * 0.001
    tl.store(mean_ptr + at, mean, mask=inside)
    tl.store(square_ptr + at, square, mask=inside)
    below = tl.sqrt(square / of_square.to(tl.float32) + 1e-8)
    w = tl.load(w_ptr + at, mask=inside, other=0.0)
    tl.store(out_ptr + at, w * 0.9999 - 0.01 * (mean / of_mean.to(tl.float32)) / below, mask=inside)


@triton.jit
def count(step_ptr):
    tl.store(step_ptr, tl.load(step_ptr) + 1)


class ModelNew(nn.Module):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.randn(rows, columns) * 0.1)
        self.register_buffer("square", torch.rand(rows, columns) * 0.1)
        self.register_buffer("step", torch.tensor(7, dtype=torch.int64))

    def forward(self, weights: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        weights, gradient = weights.contiguous(), gradient.contiguous()
        out = torch.empty_like(weights)
        total = weights.numel()
        adamw[(triton.cdiv(total, 1024),)](
            weights, gradient, self.mean, self.square, self.step, out, total,
            LOG_MEAN=-0.10536051565782628, LOG_SQUARE=-0.0010005003335835335, BLOCK=1024,
        )  # fmt: skip
        count[(1,)](self.step)
        return out
