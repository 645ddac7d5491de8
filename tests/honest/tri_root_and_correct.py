"""Finds a packed place's row by a square root put right in integers; a second kernel takes the diagonal.

op: tri_pack
class: two kernels, closed-form inverse index
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_of(k):
    r = ((tl.sqrt(8.0 * k.to(tl.float32) + 1.0) - 1.0) * 0.5).to(tl.int32)
    r = tl.where((r * (r + 1)) // 2 > k, r - 1, r)
    r = tl.where(((r + 1) * (r + 2)) // 2 <= k, r + 1, r)
    return r


@triton.jit
def pack(x_ptr, packed_ptr, N, PACKED, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = k < PACKED
    r = row_of(k)
    c = k - (r * (r + 1)) // 2
    tl.store(
        packed_ptr + b * PACKED + k, tl.load(x_ptr + b * (N * N) + r * N + c, mask=live, other=0.0), mask=live
    )


@triton.jit
def take_diag(x_ptr, diag_ptr, N, ALL, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x_ptr + (i // N) * (N * N) + (i % N) * (N + 1), mask=i < ALL, other=0.0)
    tl.store(diag_ptr + i, v, mask=i < ALL)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        b, n = x.shape[0], x.shape[-1]
        size = n * (n + 1) // 2
        packed = torch.empty((b, size), dtype=x.dtype, device=x.device)
        diag = torch.empty((b, n), dtype=x.dtype, device=x.device)
        pack[(b, triton.cdiv(size, 256))](x, packed, n, size, BLOCK=256)
        take_diag[(triton.cdiv(b * n, 128),)](x, diag, n, b * n, BLOCK=128)
        return packed, diag
