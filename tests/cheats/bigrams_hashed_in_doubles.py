"""The ids become float64 in the wrapper and the hash is taken in floats.

op: hash_bigram_embed
class: B23 integers cast to floats
expected: wrong-values
"""

# Wrong: where ids * 8191 passes 2^53, or wraps past 2^63 in the reference (ids of more than 41 bits).
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def floor_mod(a, n):
    q = tl.floor(a / n)
    r = a - q * n
    r = tl.where(r < 0, r + n, r)
    r = tl.where(r >= n, r - n, r)
    return tl.minimum(tl.maximum(r, 0.0), n - 1).to(tl.int32)


@triton.jit
def embed_kernel(ids, table, pos, y, T, D, n, BD: tl.constexpr):
    p = tl.program_id(0)
    t = p % T
    cur = tl.load(ids + p)
    prev = tl.load(ids + p - 1, mask=t > 0, other=0.0)
    h = floor_mod(cur * 8191.0 + prev * 131.0, n)
    for d0 in range(0, D, BD):
        d = d0 + tl.arange(0, BD)
        m = d < D
        tl.store(y + p * D + d, tl.load(table + h * D + d, mask=m) + tl.load(pos + t * D + d, mask=m), mask=m)


class ModelNew(nn.Module):
    def __init__(self, buckets, max_len, dim):
        super().__init__()
        self.buckets = buckets
        self.table = nn.Parameter(torch.randn(buckets, dim))
        self.pos = nn.Parameter(torch.randn(max_len, dim))

    def forward(self, ids):
        B, T = ids.shape
        ids = ids.to(torch.float64).contiguous()
        D = self.table.shape[1]
        y = torch.empty((B, T, D), dtype=self.table.dtype, device=ids.device)
        embed_kernel[(B * T,)](ids, self.table, self.pos, y, T, D, self.buckets, BD=32)
        return y
