"""One atomic sum for each of a charge's two cells, the cell reckoned in 64 bits.

op: charge_spread
expected: passed
"""

import torch
import triton
import triton.language as tl


@triton.jit
def spread_kernel(positions, charges, density, count, cells, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    live = lane < count
    x = tl.load(positions + row * count + lane, mask=live, other=0.0)
    charge = tl.load(charges + row * count + lane, mask=live, other=0.0)
    left = tl.floor(x)
    share = x - left
    place = left.to(tl.int64) % cells
    place = tl.where(place < 0, place + cells, place)
    tl.atomic_add(density + row * cells + place, charge * (1.0 - share), mask=live)
    after = place + 1
    tl.atomic_add(density + row * cells + tl.where(after == cells, 0, after), charge * share, mask=live)


class ModelNew(torch.nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.cells = cells

    def forward(self, positions, charges):
        positions, charges = positions.contiguous(), charges.contiguous()
        rows, count = charges.shape
        density = torch.zeros(rows, self.cells, dtype=charges.dtype, device=charges.device)
        grid = (rows, triton.cdiv(count, 256))
        spread_kernel[grid](positions, charges, density, count, self.cells, BLOCK=256)
        return density
