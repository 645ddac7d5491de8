"""Each of the 128 programs does a whole number of steps, rounded down: full size alone leaves nothing over.

op: packed_colours
class: B22 full size
expected: unwritten-output
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def pack_kernel(r_ptr, g_ptr, b_ptr, o_ptr, n, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    for turn in range(tl.maximum(n // step, 1)):
        i = turn * step + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        m = i < n
        r = tl.load(r_ptr + i, mask=m, other=0).to(tl.int32)
        g = tl.load(g_ptr + i, mask=m, other=0).to(tl.int32)
        b = tl.load(b_ptr + i, mask=m, other=0).to(tl.int32)
        tl.store(o_ptr + i, ((r >> 3) << 11) | ((g >> 2) << 5) | (b >> 3), mask=m)


class ModelNew(nn.Module):
    def forward(self, r, g, b):
        r, g, b = r.contiguous(), g.contiguous(), b.contiguous()
        out = torch.empty(r.shape, dtype=torch.int32, device=r.device)
        n = r.numel()
        pack_kernel[(min(128, triton.cdiv(n, 1024)),)](r, g, b, out, n, BLOCK=1024)
        return out
