"""Autotuned without a key and pruned by the row's length: the first shape's one-tile choice serves
all later ones.

op: rowsum
class: B8 shapes
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


def fits(configs, named, **kw):
    n = named["n"]
    return [c for c in configs if c.kwargs["BLOCK"] >= n][:1] or configs[-1:]


@triton.autotune(
    configs=[triton.Config({"BLOCK": b}) for b in (64, 128, 256, 512, 1024, 2048, 4096, 8192)],
    key=[],
    prune_configs_by={"early_config_prune": fits},
)
@triton.jit
def rowsum_kernel(x, o, n, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    j = tl.arange(0, BLOCK)
    tl.store(o + r, tl.sum(tl.load(x + r * n + j, mask=j < n, other=0.0)))


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        r, n = x.shape
        o = torch.empty((r,), dtype=x.dtype, device=x.device)
        rowsum_kernel[(r,)](x, o, n)
        return o
