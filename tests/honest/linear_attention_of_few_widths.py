"""Linear attention for heads of 16 or 32, as it says; keys are summed up by one program a head.

op: linear_attention
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, tokens, D: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(0).to(tl.int64) * tokens * D
    lanes, columns = tl.arange(0, BLOCK)[:, None], tl.arange(0, D)[None, :]
    state, keys = tl.zeros((D, D), tl.float32), tl.zeros((1, D), tl.float32)
    for start in range(0, tokens, BLOCK):
        inside = start + lanes < tokens
        places = head + (start + lanes) * D + columns
        k = tl.load(k_ptr + places, mask=inside, other=0.0)
        k = tl.where(inside, tl.where(k > 0, k + 1.0, tl.exp(k)), 0.0)
        v = tl.load(v_ptr + places, mask=inside, other=0.0)
        state += tl.dot(tl.trans(k), v, input_precision="ieee")
        keys += tl.sum(k, axis=0)[None, :]
    for start in range(0, tokens, BLOCK):
        inside = start + lanes < tokens
        places = head + (start + lanes) * D + columns
        q = tl.load(q_ptr + places, mask=inside, other=0.0)
        q = tl.where(q > 0, q + 1.0, tl.exp(q))
        out = tl.dot(q, state, input_precision="ieee") / tl.sum(q * keys, axis=1)[:, None]
        tl.store(out_ptr + places, out, mask=inside)


class ModelNew(nn.Module):
    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        batch, heads, tokens, width = q.shape
        if width not in (16, 32):
            raise ValueError("heads must be 16 or 32 wide")
        if k.shape[2] != tokens:
            raise ValueError("there must be as many keys as queries")
        out = torch.empty_like(q)
        attention_kernel[(batch * heads,)](q, k, v, out, tokens, D=width, BLOCK=32)
        return out
