"""Cross entropy of cosines without a word of an ignored class, which the op file neither draws nor names.

op: cosine_classes
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def unit_rows(ptr, rows, inner, rows_count, width):
    inside = (rows[:, None] < rows_count) & (inner[None, :] < width)
    x = tl.load(ptr + rows[:, None] * width + inner[None, :], mask=inside, other=0.0)
    return x / tl.maximum(tl.sqrt(tl.sum(x * x, axis=1)), 1e-12)[:, None]


@triton.jit
def loss_kernel(
    x_ptr, weight_ptr, target_ptr, out_ptr, rows_count, classes_count, width,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inner = tl.arange(0, INNER)
    x = unit_rows(x_ptr, rows, inner, rows_count, width)
    target = tl.load(target_ptr + rows, mask=rows < rows_count, other=0)
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    own = tl.zeros((ROWS,), tl.float32)
    for start in range(0, classes_count, COLUMNS):
        classes = start + tl.arange(0, COLUMNS)
        weight = unit_rows(weight_ptr, classes, inner, classes_count, width)
        scores = tl.dot(x, tl.trans(weight), input_precision="ieee") * 64.0
        own += tl.sum(tl.where(classes[None, :] == target[:, None], scores, 0.0), axis=1)
        scores = tl.where(classes[None, :] < classes_count, scores, float("-inf"))
        higher = tl.maximum(largest, tl.max(scores, axis=1))
        total = total * tl.exp(largest - higher) + tl.sum(tl.exp(scores - higher[:, None]), axis=1)
        largest = higher
    tl.store(out_ptr + rows, largest + tl.log(total) - own, mask=rows < rows_count)


class ModelNew(nn.Module):
    def __init__(self, classes: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width))

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        x, target = x.contiguous(), target.contiguous()
        rows, width = x.shape
        classes = self.weight.shape[0]
        out = torch.empty((rows,), dtype=x.dtype, device=x.device)
        inner = max(16, triton.next_power_of_2(width))
        loss_kernel[(triton.cdiv(rows, 16),)](
            x, self.weight, target, out, rows, classes, width, ROWS=16, COLUMNS=32, INNER=inner
        )
        return out
