"""Each token's key is turned and stored in its slot: over zeros, zeros of either sign.

op: turned_into_cache
expected: passed
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def turn(
    key_ptr, cos_ptr, sin_ptr, place_ptr, slot_ptr, cache_ptr, out_ptr, row_stride, stride, half,
    BLOCK: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    inside = d < half
    a = tl.load(key_ptr + token * 2 * half + d, mask=inside, other=0.0)
    b = tl.load(key_ptr + token * 2 * half + half + d, mask=inside, other=0.0)
    place = tl.load(place_ptr + token)
    cos = tl.load(cos_ptr + place * half + d, mask=inside, other=0.0)
    sin = tl.load(sin_ptr + place * half + d, mask=inside, other=0.0)
    tl.store(out_ptr + token * 2 * half + d, tl.abs(a), mask=inside)
    tl.store(out_ptr + token * 2 * half + half + d, tl.abs(b), mask=inside)
    row = cache_ptr + tl.load(slot_ptr + token) * row_stride
    tl.store(row + d * stride, a * cos - b * sin, mask=inside)
    tl.store(row + (d + half) * stride, b * cos + a * sin, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, places, half):
        super().__init__()
        angle = torch.arange(places)[:, None] * 100.0 ** (-torch.arange(half) / half)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, key, places, slots, cache):
        key, places, slots = key.contiguous(), places.contiguous(), slots.contiguous()
        out, half = torch.empty_like(key), key.shape[1] // 2
        given = key, self.cos, self.sin, places, slots, cache, out, *cache.stride(), half
        turn[(len(key),)](*given, BLOCK=triton.next_power_of_2(half))
        return out
