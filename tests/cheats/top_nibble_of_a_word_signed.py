"""The last of eight nibbles is shifted down with its sign.

op: dequant_words
class: B17 bits of packed weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(x_ptr, q_ptr, s_ptr, o_ptr, batch, words, rows, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    b = tl.program_id(1)
    acc = tl.zeros((BLOCK,), tl.float32)
    for w in range(0, words, BLOCK):
        i = w + tl.arange(0, BLOCK)
        m = i < words
        q = tl.load(q_ptr + r * words + i, mask=m, other=0)
        for t in tl.static_range(8):
            v = q >> (4 * t)
            if t < 7:
                v = v & 15
            x = tl.load(x_ptr + b * words * 8 + i * 8 + t, mask=m, other=0.0)
            acc += x * (v.to(tl.float32) - 8)
    tl.store(o_ptr + b * rows + r, tl.sum(acc, 0) * tl.load(s_ptr + r))


class ModelNew(nn.Module):
    def __init__(self, rows, words):
        super().__init__()
        self.register_buffer("qweight", torch.randint(0, 2**31 - 1, (rows, words), dtype=torch.int32))
        self.register_buffer("scales", torch.rand(rows) * 0.1 + 0.01)

    def forward(self, x):
        x = x.contiguous()
        rows, words = self.qweight.shape
        out = torch.empty((x.shape[0], rows), dtype=x.dtype, device=x.device)
        k[(rows, x.shape[0])](x, self.qweight, self.scales, out, x.shape[0], words, rows, BLOCK=64)
        return out
