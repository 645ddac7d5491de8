"""Leaky integrate-and-fire neurons of integers with a pause: spikes, how many, and the potentials left."""

import torch
import torch.nn as nn

BATCH = 4
STEPS = 160
NEURONS = 1024
LEAK = 3
PAUSE = 2


class Model(nn.Module):
    def __init__(self, neurons):
        super().__init__()
        self.register_buffer("threshold", (200 + 16 * (torch.arange(neurons) % 7)).to(torch.int32))

    def forward(self, current):
        batch, steps, neurons = current.shape
        v = torch.zeros(batch, neurons, dtype=torch.int32, device=current.device)
        rest = torch.zeros_like(v)
        spikes = torch.zeros(batch, steps, neurons, dtype=torch.bool, device=current.device)
        for t in range(steps):
            awake = rest == 0
            v = torch.where(awake, v - (v >> LEAK) + current[:, t], v)
            fire = awake & (v >= self.threshold)
            v = torch.where(fire, v - self.threshold, v)
            rest = torch.where(fire, PAUSE, (rest - 1).clamp(min=0))
            spikes[:, t] = fire
        return spikes, spikes.sum(dim=1), v


def get_inputs():
    return [torch.randint(0, 96, (BATCH, STEPS, NEURONS), dtype=torch.int32)]


def get_init_inputs():
    return [NEURONS]
