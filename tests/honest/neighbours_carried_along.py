"""A program for each row takes 512 neighbours after the other, and carries along how many it has.

op: neighbours_packed
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def pack_kernel(near, packed, counts, width, room, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    first = tl.zeros((), tl.int32)
    for start in range(0, width, BLOCK):
        lane = start + tl.arange(0, BLOCK)
        found = tl.load(near + row * width + lane, mask=lane < width, other=0).to(tl.int32)
        slot = first + tl.cumsum(found, axis=0) - found
        tl.store(packed + row * room + slot, lane, mask=(found != 0) & (slot < room))
        first += tl.sum(found, axis=0)
    tl.store(counts + row, first)


class ModelNew(torch.nn.Module):
    def __init__(self, room):
        super().__init__()
        self.room = room

    def forward(self, near):
        near = near.contiguous()
        frames, rows, width = near.shape
        packed = torch.full((frames, rows, self.room), -1, dtype=torch.int32, device=near.device)
        counts = torch.zeros((frames, rows), dtype=torch.int32, device=near.device)
        grid = (frames * rows,)
        pack_kernel[grid](near.view(torch.uint8), packed, counts, width, self.room, BLOCK=512)
        return packed, counts
