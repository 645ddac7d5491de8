"""Of lanes that store at one address the last is taken to win.

op: last_seen
class: B18 race
expected: race
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(i_ptr, o_ptr, n, c, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    w = tl.arange(0, WIDTH)
    tl.store(o_ptr + r * c + w, tl.full((WIDTH,), -1, tl.int64), mask=w < c)
    tl.debug_barrier()
    j = tl.arange(0, BLOCK)
    i = tl.load(i_ptr + r * n + j, mask=j < n, other=0)
    tl.store(o_ptr + r * c + i, j.to(tl.int64), mask=j < n)


class ModelNew(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, ids):
        ids = ids.contiguous()
        r, n = ids.shape
        out = torch.empty((r, self.classes), dtype=torch.int64, device=ids.device)
        k[(r,)](
            ids,
            out,
            n,
            self.classes,
            BLOCK=triton.next_power_of_2(n),
            WIDTH=triton.next_power_of_2(self.classes),
        )
        return out
