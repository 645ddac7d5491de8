"""The running maximum begins at -1024, below which no shipped value lies: a ray of -2000 ends at it.

op: mip_depth
class: B6 numbers below those shipped
expected: wrong-values
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mip_kernel(vol_ptr, value_ptr, place_ptr, mean_ptr, depth, pixels, total, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = at < total
    base = (at // pixels) * depth * pixels + at % pixels
    best = tl.full([BLOCK], -1024, tl.int32)
    place = tl.zeros([BLOCK], tl.int32)
    ray = tl.zeros([BLOCK], tl.int32)
    for z in range(depth):
        v = tl.load(vol_ptr + base + z * pixels, mask=ok, other=-1024).to(tl.int32)
        more = v > best
        best = tl.where(more, v, best)
        place = tl.where(more, z, place)
        ray += v
    tl.store(value_ptr + at, best.to(tl.int16), mask=ok)
    tl.store(place_ptr + at, place.to(tl.int64), mask=ok)
    tl.store(mean_ptr + at, ray.to(tl.float32) / depth, mask=ok)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, volume):
        b, d, h, w = volume.shape
        volume = volume.contiguous()
        value = torch.empty((b, h, w), dtype=torch.int16, device=volume.device)
        place = torch.empty((b, h, w), dtype=torch.int64, device=volume.device)
        mean = torch.empty((b, h, w), dtype=torch.float32, device=volume.device)
        total = b * h * w
        mip_kernel[(triton.cdiv(total, 1024),)](volume, value, place, mean, d, h * w, total, BLOCK=1024)
        return value, place, mean
