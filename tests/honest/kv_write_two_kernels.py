"""Copies the cache with one kernel, then writes the new rows with another.

op: kv_write
class: places written to
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def _copy(c_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(c_ptr + offs, mask=offs < n), mask=offs < n)


@triton.jit
def _write(n_ptr, p_ptr, y_ptr, slots, tokens, dim, BD: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1).to(tl.int64)
    pos = tl.load(p_ptr + t)
    d = tl.arange(0, BD)
    x = tl.load(n_ptr + (h * tokens + t) * dim + d, mask=d < dim)
    tl.store(y_ptr + (h * slots + pos) * dim + d, x, mask=d < dim)


class ModelNew(nn.Module):
    def forward(self, cache: torch.Tensor, new: torch.Tensor, pos: torch.Tensor) -> torch.Tensor:
        cache, new, pos = cache.contiguous(), new.contiguous(), pos.contiguous()
        heads, slots, dim = cache.shape
        tokens = new.shape[1]
        y = torch.empty_like(cache)
        _copy[(triton.cdiv(cache.numel(), 1024),)](cache, y, cache.numel(), BLOCK=1024)
        _write[(tokens, heads)](new, pos, y, slots, tokens, dim, BD=triton.next_power_of_2(dim))
        return y
