"""A tuner that tries numbers of warps, and puts back what its trials change.

op: ema_stats
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.autotune(
    configs=[triton.Config({"R": 16, "C": 32}, num_warps=warps) for warps in (2, 4)],
    key=["rows", "columns"],
    reset_to_zero=["sum_ptr"],
    restore_value=["mean_ptr", "spread_ptr"],
)
@triton.jit
def moving(x_ptr, mean_ptr, spread_ptr, out_ptr, sum_ptr, rows, columns, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)
    column = tl.program_id(1) * C + tl.arange(0, C)
    place = row[:, None] * columns + column[None, :]
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    mean = tl.load(mean_ptr + place, mask=inside, other=0.0)
    spread = tl.load(spread_ptr + place, mask=inside, other=0.0)
    deviation = x - mean
    spread = spread * 0.95 + tl.abs(deviation) * 0.05
    tl.store(spread_ptr + place, spread, mask=inside)
    tl.store(mean_ptr + place, mean + deviation * 0.1, mask=inside)
    scaled = deviation / (spread + 1e-3)
    tl.store(out_ptr + place, scaled, mask=inside)
    tl.atomic_add(sum_ptr + column, tl.sum(scaled, axis=0), mask=column < columns)


class ModelNew(nn.Module):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.randn(rows, columns) * 0.1)
        self.register_buffer("spread", torch.rand(rows, columns) + 0.5)

    def forward(self, x):
        x = x.contiguous()
        rows, columns = x.shape
        out, total = torch.empty_like(x), torch.zeros(columns, device=x.device)
        moving[lambda meta: (triton.cdiv(rows, meta["R"]), triton.cdiv(columns, meta["C"]))](
            x, self.mean, self.spread, out, total, rows, columns
        )
        return out, total
