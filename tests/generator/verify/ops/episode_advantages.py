"""Generalised advantage estimation backwards through time, with episode ends, and the value targets."""

import torch
import torch.nn as nn

B, T = 37, 45


class Model(nn.Module):
    def __init__(self, gamma, lam):
        super().__init__()
        self.gamma = gamma
        self.lam = lam

    def forward(self, rewards, values, last_value, dones):
        zero = torch.zeros_like(last_value)
        adv = zero
        nxt = last_value
        out = []
        for t in range(rewards.shape[1] - 1, -1, -1):
            d = dones[:, t]
            delta = rewards[:, t] + self.gamma * torch.where(d, zero, nxt) - values[:, t]
            adv = delta + self.gamma * self.lam * torch.where(d, zero, adv)
            nxt = values[:, t]
            out.append(adv)
        advs = torch.stack(out[::-1], dim=1)
        return advs, advs + values


def get_inputs():
    return [torch.randn(B, T), torch.randn(B, T), torch.randn(B), torch.rand(B, T) < 0.05]


def get_init_inputs():
    return [0.99, 0.95]
