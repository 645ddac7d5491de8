"""The cast to a byte takes the remainder.

op: byte_hash
class: hash cut off by a cast on purpose
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def kern(x, o, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + i, (v * 40503 + 2166136261).to(tl.uint8), mask=i < n)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x = x.contiguous()
        o = torch.empty(x.shape, dtype=torch.uint8, device=x.device)
        kern[(triton.cdiv(x.numel(), 128),)](x, o, x.numel(), BLOCK=128)
        return o
