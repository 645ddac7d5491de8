"""Rows of one hash are compared, number by number, before one is taken for the other.

op: first_same_row
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def hash_rows(x_ptr, hash_ptr, rows, width, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    found = tl.zeros((BLOCK,), tl.int64)
    for k in range(width):
        found = found * 31 + tl.load(x_ptr + r * width + k, mask=r < rows, other=0)
    tl.store(hash_ptr + r, found, mask=r < rows)


@triton.jit
def match(p_ptr, b_ptr, hp_ptr, hb_ptr, out_ptr, rows, width, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    key = tl.load(hp_ptr + r)
    first = tl.full((), 0, tl.int64) + rows
    for s in range(0, rows, BLOCK):
        j = s + tl.arange(0, BLOCK).to(tl.int64)
        same = (tl.load(hb_ptr + j, mask=j < rows, other=0) == key) & (j < rows)
        for k in range(width):
            one = tl.load(p_ptr + r * width + k)
            same = same & (tl.load(b_ptr + j * width + k, mask=same, other=0) == one)
        first = tl.minimum(first, tl.min(tl.where(same, j, rows), 0))
    tl.store(out_ptr + r, tl.where(first < rows, first, -1))


class ModelNew(nn.Module):
    def forward(self, prompt, bank):
        prompt, bank = prompt.contiguous(), bank.contiguous()
        count, width = prompt.shape
        rows = bank.shape[0]
        of_prompts = torch.empty((count,), dtype=torch.int64, device=prompt.device)
        of_bank = torch.empty((rows,), dtype=torch.int64, device=prompt.device)
        out = torch.empty((count,), dtype=torch.int64, device=prompt.device)
        hash_rows[(triton.cdiv(count, 64),)](prompt, of_prompts, count, width, BLOCK=64)
        hash_rows[(triton.cdiv(rows, 64),)](bank, of_bank, rows, width, BLOCK=64)
        match[(count,)](prompt, bank, of_prompts, of_bank, out, rows, width, BLOCK=256)
        return out
