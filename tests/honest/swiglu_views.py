"""The halves are handed over as views with strides; a flag says whether tiles are full.

op: swiglu
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.heuristics({"FULL": lambda args: args["half"] % args["BLOCK"] == 0})
@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, stride, half, BLOCK: tl.constexpr, FULL: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < half
    if FULL:
        gate = tl.load(gate_ptr + row * stride + offsets)
        up = tl.load(up_ptr + row * stride + offsets)
    else:
        gate = tl.load(gate_ptr + row * stride + offsets, mask=inside)
        up = tl.load(up_ptr + row * stride + offsets, mask=inside)
    value = gate / (1.0 + tl.exp(-gate)) * up
    tl.store(out_ptr + row * half + offsets, value, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.stride(-1) != 1:
            x = x.contiguous()
        gate, up = x.chunk(2, dim=-1)
        rows, half = gate.shape
        out = torch.empty((rows, half), dtype=x.dtype, device=x.device)
        swiglu_kernel[(rows, triton.cdiv(half, 128))](gate, up, out, gate.stride(0), half, BLOCK=128)
        return out
