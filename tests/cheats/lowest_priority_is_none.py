"""The search begins at the lowest number of 32 bits and asks for more: no scene of that is ever taken.

op: mosaic_priority
class: B17 the lowest priority stands for none
expected: wrong-values
"""

import torch
import triton
import triton.language as tl


@triton.jit
def mosaic_kernel(scenes, valid, priority, nodata, mosaic, source, count, bands, plane, BLOCK: tl.constexpr):
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = pixel < plane
    best = tl.full((BLOCK,), -1, tl.int32)
    rank = tl.full((BLOCK,), -2147483648, tl.int32)
    for scene in range(count):
        here = tl.load(valid + scene * plane + pixel, mask=live, other=0) != 0
        standing = tl.load(priority + scene)
        take = here & (standing > rank)
        best = tl.where(take, scene, best)
        rank = tl.where(take, standing, rank)
    covered = live & (best >= 0)
    blank = tl.load(nodata)
    for band in range(bands):
        value = tl.load(scenes + (best * bands + band) * plane + pixel, mask=covered, other=0.0)
        tl.store(mosaic + band * plane + pixel, tl.where(covered, value, blank), mask=live)
    tl.store(source + pixel, best, mask=live)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("nodata", torch.tensor([-9999.0], dtype=torch.bfloat16))

    def forward(self, scenes, valid, priority):
        scenes, valid, priority = scenes.contiguous(), valid.contiguous(), priority.contiguous()
        count, bands, height, width = scenes.shape
        mosaic = torch.empty((bands, height, width), dtype=scenes.dtype, device=scenes.device)
        source = torch.empty((height, width), dtype=torch.int32, device=scenes.device)
        plane = height * width
        mosaic_kernel[(triton.cdiv(plane, 512),)](
            scenes, valid, priority, self.nodata, mosaic, source, count, bands, plane, BLOCK=512
        )
        return mosaic, source
