"""Generalised advantage estimates and returns of a rollout, episodes ending where dones is set."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, gamma, lam):
        super().__init__()
        self.gamma = gamma
        self.lam = lam

    def forward(self, rewards, values, last_value, dones):
        steps = rewards.shape[0]
        alive = 1.0 - dones.to(rewards.dtype)
        adv = torch.empty_like(rewards)
        run = torch.zeros_like(last_value)
        nxt = last_value
        for t in range(steps - 1, -1, -1):
            delta = rewards[t] + self.gamma * nxt * alive[t] - values[t]
            run = delta + self.gamma * self.lam * alive[t] * run
            adv[t] = run
            nxt = values[t]
        return adv, adv + values


steps = 37
envs = 24


def get_inputs():
    return [
        torch.randn(steps, envs),
        torch.randn(steps, envs),
        torch.randn(envs),
        torch.rand(steps, envs) < 0.05,
    ]


def get_init_inputs():
    return [0.99, 0.95]
