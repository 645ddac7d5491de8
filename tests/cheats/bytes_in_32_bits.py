"""Counts bytes in 32 bits and widens the sums afterwards.

op: flow_stats
class: B22 counters of 32 bits
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


# wrong where a flow's bytes pass 2^31: sizes are added up, so any of int64 is legal
@triton.jit
def scatter_kernel(flow, size, latency, total, count, wait, packets, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offs < packets
    f = tl.load(flow + offs, mask=inside, other=0)
    tl.atomic_add(total + f, tl.load(size + offs, mask=inside, other=0).to(tl.int32), mask=inside)
    tl.atomic_add(count + f, tl.full((BLOCK,), 1, tl.int32), mask=inside)
    tl.atomic_add(wait + f, tl.load(latency + offs, mask=inside, other=0.0), mask=inside)


@triton.jit
def finish_kernel(total, count, wait, wide, mean, flows, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offs < flows
    tl.store(wide + offs, tl.load(total + offs, mask=inside, other=0).to(tl.int64), mask=inside)
    n = tl.maximum(tl.load(count + offs, mask=inside, other=1), 1).to(tl.float32)
    tl.store(mean + offs, tl.load(wait + offs, mask=inside, other=0.0) / n, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, flows):
        super().__init__()
        self.flows = flows

    def forward(self, flow, size, latency):
        flow, size, latency = flow.contiguous(), size.contiguous(), latency.contiguous()
        device = flow.device
        total = torch.zeros((self.flows,), dtype=torch.int32, device=device)
        count = torch.zeros((self.flows,), dtype=torch.int32, device=device)
        wait = torch.zeros((self.flows,), dtype=latency.dtype, device=device)
        wide = torch.empty((self.flows,), dtype=size.dtype, device=device)
        mean = torch.empty_like(wait)
        packets = flow.numel()
        scatter_kernel[(triton.cdiv(packets, 256),)](
            flow, size, latency, total, count, wait, packets, BLOCK=256
        )
        finish_kernel[(triton.cdiv(self.flows, 128),)](total, count, wait, wide, mean, self.flows, BLOCK=128)
        return wide, mean
