"""A token seen twice is penalised by two programs, which store one and the same number.

op: repetition
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def copy_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < count, other=0.0), mask=at < count)


@triton.jit
def penalty_kernel(x_ptr, tokens_ptr, penalty_ptr, out_ptr, vocabulary, seen, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    factor = tl.load(penalty_ptr + row)
    token = tl.load(tokens_ptr + row * seen + at, mask=at < seen, other=0)
    score = tl.load(x_ptr + row * vocabulary + token, mask=at < seen, other=0.0)
    less = tl.where(score < 0, score * factor, score / factor)
    tl.store(out_ptr + row * vocabulary + token, less, mask=at < seen)


class ModelNew(nn.Module):
    def forward(self, logits, tokens, penalty):
        logits, tokens, penalty = logits.contiguous(), tokens.contiguous(), penalty.contiguous()
        (batch, vocabulary), seen = logits.shape, tokens.shape[1]
        out = torch.empty_like(logits)
        copy_kernel[(triton.cdiv(logits.numel(), 1024),)](logits, out, logits.numel(), BLOCK=1024)
        grid = (batch, triton.cdiv(seen, 32))
        penalty_kernel[grid](logits, tokens, penalty, out, vocabulary, seen, BLOCK=32)
        return out
