"""A block of pixels a program, coordinates worked out once for all channels; residual in two steps.

op: flow_warp
expected: passed
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def warp_kernel(frame_ptr, flow_ptr, next_ptr, out_ptr, part_ptr, c, h, w, BLOCK: tl.constexpr):
    b = tl.program_id(1)
    plane = h * w
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = p < plane
    x = (p % w).to(tl.float32) + tl.load(flow_ptr + (b * 2) * plane + p, mask=mask, other=0.0)
    y = (p // w).to(tl.float32) + tl.load(flow_ptr + (b * 2 + 1) * plane + p, mask=mask, other=0.0)
    x0 = tl.floor(x)
    y0 = tl.floor(y)
    fx = x - x0
    fy = y - y0
    right = w * 1.0 - 1.0
    bottom = h * 1.0 - 1.0
    in_x0 = (x0 >= 0) & (x0 <= right)
    in_x1 = (x0 + 1 >= 0) & (x0 + 1 <= right)
    in_y0 = (y0 >= 0) & (y0 <= bottom)
    in_y1 = (y0 + 1 >= 0) & (y0 + 1 <= bottom)
    ix = tl.minimum(tl.maximum(x0, -1.0), right).to(tl.int32)
    iy = tl.minimum(tl.maximum(y0, -1.0), bottom).to(tl.int32)
    at = iy * w + ix
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, c):
        image = frame_ptr + (b * c + k) * plane
        v00 = tl.load(image + at, mask=mask & in_x0 & in_y0, other=0.0)
        v01 = tl.load(image + at + 1, mask=mask & in_x1 & in_y0, other=0.0)
        v10 = tl.load(image + at + w, mask=mask & in_x0 & in_y1, other=0.0)
        v11 = tl.load(image + at + w + 1, mask=mask & in_x1 & in_y1, other=0.0)
        value = v00 * ((1 - fx) * (1 - fy)) + v01 * (fx * (1 - fy)) + v10 * ((1 - fx) * fy) + v11 * (fx * fy)
        tl.store(out_ptr + (b * c + k) * plane + p, value, mask=mask)
        following = tl.load(next_ptr + (b * c + k) * plane + p, mask=mask, other=0.0)
        total += tl.where(mask, tl.abs(value - following), 0.0)
    tl.store(part_ptr + b * tl.num_programs(0) + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def mean_kernel(part_ptr, out_ptr, tiles, count, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, tiles, BLOCK):
        s = start + tl.arange(0, BLOCK)
        total += tl.load(part_ptr + b * tiles + s, mask=s < tiles, other=0.0)
    tl.store(out_ptr + b, tl.sum(total, axis=0) / count)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, frame, flow, following):
        frame, flow, following = frame.contiguous(), flow.contiguous(), following.contiguous()
        b, c, h, w = frame.shape
        tiles = triton.cdiv(h * w, 1024)
        out = torch.empty_like(frame)
        part = torch.empty((b, tiles), dtype=torch.float32, device=frame.device)
        residual = torch.empty((b,), dtype=torch.float32, device=frame.device)
        warp_kernel[(tiles, b)](frame, flow, following, out, part, c, h, w, BLOCK=1024)
        mean_kernel[(b,)](part, residual, tiles, float(c * h * w), BLOCK=128)
        return out, residual
