"""The forward algorithm of a hidden Markov model over sequences of uneven lengths."""

import torch
import torch.nn as nn

BATCH = 256
STEPS = 512
STATES = 24
SYMBOLS = 20


class Model(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.start = nn.Parameter(torch.randn(states))
        self.trans = nn.Parameter(torch.randn(states, states))
        self.emit = nn.Parameter(torch.randn(symbols, states))

    def forward(self, obs, lengths):
        alpha = self.start.unsqueeze(0).expand(obs.shape[0], -1)
        for t in range(obs.shape[1]):
            nxt = torch.logsumexp(alpha.unsqueeze(2) + self.trans.unsqueeze(0), dim=1) + self.emit[obs[:, t]]
            alpha = torch.where((lengths > t).unsqueeze(1), nxt, alpha)
        return torch.logsumexp(alpha, dim=1)


def get_inputs():
    return [torch.randint(0, SYMBOLS, (BATCH, STEPS)), torch.randint(STEPS // 2, STEPS + 1, (BATCH,))]


def get_init_inputs():
    return [STATES, SYMBOLS]
