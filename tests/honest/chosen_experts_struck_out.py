"""Rounds of argmax; who is chosen is struck out by minus infinity, so that rows of it leave no choice.

op: biased_router
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def route_kernel(
    x_ptr,
    bias_ptr,
    share_ptr,
    place_ptr,
    rows,
    experts,
    CHOSEN: tl.constexpr,
    WIDE: tl.constexpr,
    BM: tl.constexpr,
    BE: tl.constexpr,
):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    e = tl.arange(0, BE)
    inside = (row < rows)[:, None] & (e < experts)[None, :]
    x = tl.load(x_ptr + row[:, None] * experts + e[None, :], mask=inside, other=0.0)
    left = x + tl.load(bias_ptr + e, mask=e < experts, other=0.0)[None, :]
    left = tl.where((e < experts)[None, :], left, float("-inf"))
    c = tl.arange(0, WIDE)
    logits = tl.full((BM, WIDE), float("-inf"), tl.float32)
    places = tl.zeros((BM, WIDE), tl.int64)
    for turn in tl.static_range(CHOSEN):
        best = tl.argmax(left, 1)
        hit = e[None, :] == best[:, None]
        logits = tl.where((c == turn)[None, :], tl.sum(tl.where(hit, x, 0.0), 1)[:, None], logits)
        places = tl.where((c == turn)[None, :], best[:, None].to(tl.int64), places)
        left = tl.where(hit, float("-inf"), left)
    share = tl.exp(logits - tl.max(logits, 1)[:, None])
    share = share / tl.sum(share, 1)[:, None]
    out = row[:, None] * CHOSEN + c[None, :]
    kept = (row < rows)[:, None] & (c < CHOSEN)[None, :]
    tl.store(share_ptr + out, share, mask=kept)
    tl.store(place_ptr + out, places, mask=kept)


class ModelNew(nn.Module):
    def __init__(self, experts, chosen):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(experts))
        self.chosen = chosen

    def forward(self, logits):
        x = logits.contiguous()
        rows, experts = x.shape
        shares = torch.empty(rows, self.chosen, device=x.device, dtype=x.dtype)
        places = torch.empty(rows, self.chosen, device=x.device, dtype=torch.int64)
        wide, across = triton.next_power_of_2(self.chosen), triton.next_power_of_2(experts)
        grid = (triton.cdiv(rows, 32),)
        route_kernel[grid](
            x, self.bias, shares, places, rows, experts, CHOSEN=self.chosen, WIDE=wide, BM=32, BE=across
        )
        return shares, places
