"""The top nibble is shifted down and not masked: negative words give the wrong one.

op: dequant_int4
class: B6 integers
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def k(q_ptr, s_ptr, o_ptr, n, cols, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    q = tl.load(q_ptr + o // 8, mask=m, other=0)
    s = tl.load(s_ptr + o // 8 // cols, mask=m, other=0.0)
    w = q >> ((o % 8) * 4).to(tl.int32)
    w = tl.where(o % 8 == 7, w, w & 15)
    tl.store(o_ptr + o, (w.to(tl.float32) - 8.0) * s, mask=m)


class ModelNew(nn.Module):
    def forward(self, q, scale):
        q, scale = q.contiguous(), scale.contiguous()
        r, c = q.shape
        out = torch.empty((r, c * 8), dtype=scale.dtype, device=q.device)
        n = out.numel()
        k[(triton.cdiv(n, 1024),)](q, scale, out, n, c, BLOCK=1024)
        return out
