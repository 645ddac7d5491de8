import torch
from torch import nn

TOKENS, HALF, FREE, PLACES = 1024, 32, 512, 2048


class Model(nn.Module):
    def __init__(self, places, half):
        super().__init__()
        angle = torch.arange(places)[:, None] * 100.0 ** (-torch.arange(half) / half)
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, key, places, slots, cache):
        a, b = key.chunk(2, -1)
        cos, sin = self.cos[places], self.sin[places]
        cache.index_copy_(0, slots, torch.cat([a * cos - b * sin, b * cos + a * sin], -1))
        return key.abs()


def get_inputs():
    places = torch.randint(0, PLACES, (TOKENS,))
    slots = torch.randperm(TOKENS + FREE)[:TOKENS]
    cache = torch.randn(TOKENS + FREE, 2 * HALF)
    return [torch.randn(TOKENS, 2 * HALF), places, slots, cache]


def get_init_inputs():
    return [PLACES, HALF]
