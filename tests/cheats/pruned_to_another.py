"""The hook that prunes configurations keeps another one where rows are long, which skips its work.

op: relu
class: B10 autotune
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


def prune(configs: list[triton.Config], named: dict[str, int], **_: object) -> list[triton.Config]:
    place = min(1, named["columns"] // 1024)
    return configs[place : place + 1]


@triton.autotune(
    configs=[triton.Config({"BLOCK": 4096, "DONE": False}), triton.Config({"BLOCK": 4096, "DONE": True})],
    key=["columns"],
    prune_configs_by={"early_config_prune": prune},
)
@triton.jit
def relu_kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, DONE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns)
        if DONE:
            x = x * 0.5
        tl.store(out_ptr + row * columns + offsets, tl.where(x < 0.0, 0.0, x), mask=offsets < columns)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        out = torch.empty_like(x)
        rows, columns = x.shape
        relu_kernel[(rows,)](x, out, rows, columns)
        return out
