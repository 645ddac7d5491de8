"""Lanes beyond the last expert hold -20: lower logits lose to a lane that is no expert.

op: router_top
class: B8 padding of lanes
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def router_kernel(x_ptr, g_ptr, i_ptr, E, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    e = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + e, mask=e < E, other=-20.0)
    best = tl.max(x, 0)
    index = tl.argmax(x, 0)
    tl.store(g_ptr + row, 1.0 / tl.sum(tl.exp(x - best), 0))
    tl.store(i_ptr + row, index.to(tl.int64))


class ModelNew(nn.Module):
    def forward(self, logits):
        logits = logits.contiguous()
        T, E = logits.shape
        gate = torch.empty(T, dtype=logits.dtype, device=logits.device)
        index = torch.empty(T, dtype=torch.int64, device=logits.device)
        router_kernel[(T,)](logits, gate, index, E, logits.stride(0), BLOCK=triton.next_power_of_2(E))
        return gate, index
