"""Charges at positions in a periodic box, spread on the two cells beside each (cloud in cell)."""

import torch
import torch.nn as nn

BATCH = 8
CHARGES = 6000
CELLS = 256


class Model(nn.Module):
    def __init__(self, cells):
        super().__init__()
        self.cells = cells

    def forward(self, positions, charges):
        left = torch.floor(positions)
        share = positions - left
        place = torch.remainder(left.to(torch.int64), self.cells)
        density = torch.zeros(charges.shape[0], self.cells, dtype=charges.dtype)
        density = density.scatter_add(1, place, charges * (1.0 - share))
        return density.scatter_add(1, (place + 1) % self.cells, charges * share)


def get_inputs():
    return [torch.rand(BATCH, CHARGES) * CELLS, torch.randn(BATCH, CHARGES)]


def get_init_inputs():
    return [CELLS]
