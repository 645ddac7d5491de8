"""One lane per id in 64-bit integers; a negative remainder is lifted by the modulus.

op: feature_hash
class: flat elementwise, floor modulus repaired after the truncating one
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mix(ids, salt):
    h = ids * 2654435761 + salt
    return h ^ (h >> 29)


@triton.jit
def hash_kernel(i_ptr, s_ptr, b_ptr, g_ptr, total, F, MOD: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < total
    h = mix(tl.load(i_ptr + i, mask=ok, other=0), tl.load(s_ptr + i % F, mask=ok, other=0))
    r = h % MOD
    r = tl.where(r < 0, r + MOD, r)
    tl.store(b_ptr + i, r, mask=ok)
    tl.store(g_ptr + i, (1 - 2 * ((h >> 7) & 1)).to(tl.float32), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, fields, buckets):
        super().__init__()
        self.buckets = buckets
        self.register_buffer("salts", torch.arange(1, fields + 1, dtype=torch.int64) * 7919)

    def forward(self, ids):
        ids = ids.contiguous()
        bucket = torch.empty_like(ids)
        sign = torch.empty(ids.shape, dtype=torch.float32, device=ids.device)
        total = ids.numel()
        hash_kernel[(triton.cdiv(total, 256),)](
            ids, self.salts, bucket, sign, total, ids.shape[1], MOD=self.buckets, BLOCK=256
        )
        return bucket, sign
