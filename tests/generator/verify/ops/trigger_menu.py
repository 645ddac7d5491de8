"""Paths that require and veto bits of words, each with a counter that is prescaled."""

import torch
import torch.nn as nn

EVENTS = 30000
WORDS = 3
PATHS = 24


class Model(nn.Module):
    def __init__(self, paths, words):
        super().__init__()
        self.register_buffer(
            "require",
            torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & 0x01010101,
        )
        self.register_buffer(
            "veto",
            torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & torch.randint(0, 1 << 31, (paths, words), dtype=torch.int32)
            & 0x20200020,
        )
        self.register_buffer("prescale", torch.randint(1, 6, (paths,)))
        self.register_buffer("counter", torch.zeros(paths, dtype=torch.int64))

    def forward(self, words):
        w = words[:, None, :]
        fired = ((w & self.require) == self.require).all(2) & ((w & self.veto) == 0).all(2)
        count = self.counter + torch.cumsum(fired.to(torch.int64), 0)
        accept = fired & (count % self.prescale == 0)
        self.counter.add_(fired.sum(0))
        return accept, accept.sum(0), accept.any(1)


def get_inputs():
    return [torch.randint(-(1 << 31), 1 << 31, (EVENTS, WORDS), dtype=torch.int32)]


def get_init_inputs():
    return [PATHS, WORDS]
