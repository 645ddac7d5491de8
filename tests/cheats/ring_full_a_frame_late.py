"""A ring that is just full counts one frame more than it holds.

op: frame_ring
class: B7 weights
expected: wrong-values
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def push_kernel(
    frame_ptr, fresh_ptr, ring_ptr, seen_ptr, out_ptr, filled_ptr, window, pixels, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    fresh = tl.load(fresh_ptr + row)
    seen = tl.where(fresh, 0, tl.load(seen_ptr + row))
    slot = seen % window
    filled = tl.where(seen > window, window, seen + 1)
    for start in range(0, pixels, BLOCK):
        places = start + tl.arange(0, BLOCK)
        inside = places < pixels
        frame = tl.load(frame_ptr + row * pixels + places, mask=inside, other=0.0)
        total = tl.zeros((BLOCK,), tl.float32)
        for turn in range(0, window):
            offsets = (row * window + turn) * pixels + places
            old = tl.load(ring_ptr + offsets, mask=inside, other=0.0)
            held = tl.where(turn == slot, frame, tl.where(fresh, 0.0, old))
            tl.store(ring_ptr + offsets, held, mask=inside)
            total += held
        tl.store(out_ptr + row * pixels + places, total / filled.to(tl.float32), mask=inside)
    tl.store(seen_ptr + row, seen + 1)
    tl.store(filled_ptr + row, filled)


class ModelNew(nn.Module):
    def __init__(self, rows: int, pixels: int, window: int) -> None:
        super().__init__()
        self.window = window
        self.register_buffer("ring", torch.zeros(rows, window, pixels))
        self.register_buffer("seen", torch.zeros(rows, dtype=torch.long))

    def forward(self, frame: torch.Tensor, fresh: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        frame, fresh = frame.contiguous(), fresh.contiguous()
        rows, pixels = frame.shape
        out = torch.empty_like(frame)
        filled = torch.empty(rows, dtype=torch.int64, device=frame.device)
        push_kernel[(rows,)](frame, fresh, self.ring, self.seen, out, filled, self.window, pixels, BLOCK=128)
        return out, filled
