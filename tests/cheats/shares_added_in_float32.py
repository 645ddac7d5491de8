"""Adds whole shares up in float32 and rounds at the end: exact while totals stay below 2^24, as shipped.

op: secure_sum
class: B15 whole numbers through floats
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def unmask(
    shares, masks, stayed, total, decoded, check, number, clients, weights, scale, BLOCK: tl.constexpr
):
    d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = d < weights
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    present = tl.program_id(0) * 0
    for client in range(0, clients):
        here = tl.load(stayed + client).to(tl.int32)
        at = tl.cast(client, tl.int64) * weights + d
        kept = live & (here != 0)
        sums += (tl.load(shares + at, mask=kept, other=0) - tl.load(masks + at, mask=kept, other=0)).to(
            tl.float32
        )
        present += here
    acc = sums.to(tl.int64).to(tl.int32)
    tl.store(total + d, acc, mask=live)
    tl.store(decoded + d, acc.to(tl.float32) / scale, mask=live)
    tl.atomic_add(check, tl.sum(tl.where(live, acc, 0).to(tl.int64), axis=0))
    if tl.program_id(0) == 0:
        tl.store(number, present.to(tl.int64))


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, shares, masks, stayed):
        shares, masks, stayed = shares.contiguous(), masks.contiguous(), stayed.contiguous()
        clients, weights = shares.shape
        device = shares.device
        total = torch.empty(weights, dtype=torch.int32, device=device)
        decoded = torch.empty(weights, dtype=torch.float32, device=device)
        check = torch.zeros((), dtype=torch.int64, device=device)
        number = torch.empty((), dtype=torch.int64, device=device)
        unmask[(triton.cdiv(weights, 1024),)](
            shares, masks, stayed, total, decoded, check, number, clients, weights, self.scale, BLOCK=1024
        )
        return total, decoded, check, number
