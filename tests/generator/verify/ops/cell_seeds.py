"""Cells of a barrel above all their neighbours, and the energy of the nine around each."""

import torch
import torch.nn as nn

EVENTS = 32
CELLS_ETA = 64
CELLS_PHI = 128


class Model(nn.Module):
    def __init__(self, eta):
        super().__init__()
        self.calib = nn.Parameter(1.0 + 0.1 * torch.randn(eta))

    def forward(self, cells):
        eta = cells.shape[1]
        top = torch.full_like(cells[:, :1], float("-inf"))
        ranked = torch.cat([top, cells, top], 1)
        padded = torch.cat([torch.zeros_like(top), cells, torch.zeros_like(top)], 1)
        seed = torch.ones_like(cells, dtype=torch.bool)
        energy = torch.zeros_like(cells)
        for de in (-1, 0, 1):
            for dp in (-1, 0, 1):
                near = torch.roll(ranked[:, 1 + de : 1 + de + eta], -dp, 2)
                energy = energy + torch.roll(padded[:, 1 + de : 1 + de + eta], -dp, 2)
                if (de, dp) < (0, 0):
                    seed = seed & (cells > near)
                elif (de, dp) > (0, 0):
                    seed = seed & (cells >= near)
        cluster = torch.where(seed, energy * self.calib[:, None], torch.zeros_like(energy))
        return cluster, seed, seed.sum((1, 2))


def get_inputs():
    return [torch.randn(EVENTS, CELLS_ETA, CELLS_PHI)]


def get_init_inputs():
    return [CELLS_ETA]
