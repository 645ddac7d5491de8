"""A word is clean by the parities of sixteen random subsets of its checks, from a seed of its own.

op: parity_syndrome
class: B21 a random test in a deterministic op
expected: forbidden-code
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _fold(v):
    v = v ^ (v >> 32)
    v = v ^ (v >> 16)
    v = v ^ (v >> 8)
    v = v ^ (v >> 4)
    v = v ^ (v >> 2)
    v = v ^ (v >> 1)
    return (v & 1).to(tl.int32)


@triton.jit
def _syndrome(w_ptr, c_ptr, s_ptr, clean_ptr, rows, checks, words, BR: tl.constexpr, C: tl.constexpr):
    row = (tl.program_id(0) * BR + tl.arange(0, BR)).to(tl.int64)
    keep = row < rows
    check = tl.arange(0, C)
    there = check < checks
    v = tl.zeros((BR, C), tl.int64)
    for w in range(0, words):
        a = tl.load(w_ptr + row * words + w, mask=keep, other=0)
        b = tl.load(c_ptr + check * words + w, mask=there, other=0)
        v ^= a[:, None] & b[None, :]
    bit = _fold(v)
    tl.store(s_ptr + row[:, None] * checks + check[None, :], bit != 0, mask=keep[:, None] & there[None, :])
    alarm = tl.zeros((BR,), tl.int32)
    for probe in range(0, 16):
        subset = (tl.rand(2024, probe * C + check) < 0.5).to(tl.int32)
        alarm |= tl.sum(bit & subset[None, :], axis=1) & 1
    tl.store(clean_ptr + row, alarm == 0, mask=keep)


class ModelNew(nn.Module):
    def __init__(self, checks, words):
        super().__init__()
        low, high = -(2**63), 2**63 - 1
        self.register_buffer("checks", torch.randint(low, high, (checks, words), dtype=torch.int64))

    def forward(self, words):
        words = words.contiguous()
        rows, many = words.shape
        checks = self.checks.shape[0]
        syndrome = torch.empty((rows, checks), dtype=torch.bool, device=words.device)
        clean = torch.empty((rows,), dtype=torch.bool, device=words.device)
        width = triton.next_power_of_2(checks)
        block = max(1, min(64, 8192 // width))
        _syndrome[(triton.cdiv(rows, block),)](
            words, self.checks, syndrome, clean, rows, checks, many, BR=block, C=width, num_warps=8
        )
        return syndrome, clean
