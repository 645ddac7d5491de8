"""Harmonic energy of all angles between three beads of a batch of chains, and the cosines."""

import torch
import torch.nn as nn

FRAMES = 16
BEADS = 2048
ANGLES = 8192


class Model(nn.Module):
    def __init__(self, angles):
        super().__init__()
        self.strength = nn.Parameter(torch.rand(angles) + 0.5)

    def forward(self, beads, triples):
        one, two, three = (beads[:, triples[:, k]] for k in range(3))
        left, right = one - two, three - two
        dot = (left * right).sum(-1)
        norms = torch.sqrt((left * left).sum(-1) * (right * right).sum(-1) + 1e-6)
        cosine = dot / norms
        return (self.strength * cosine * cosine).sum()


def get_inputs():
    return [torch.randn(FRAMES, BEADS, 3), torch.randint(0, BEADS, (ANGLES, 3))]


def get_init_inputs():
    return [ANGLES]
