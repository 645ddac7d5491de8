import torch
from torch import nn

BATCH = 8
NEW = 4
ROOM = 508
HEADS = 8
HEAD_DIM = 64


class Model(nn.Module):
    """Writes new keys in place into a ring-buffer cache from each sequence's start; returns the slots."""

    def forward(self, cache, new, start):
        S, T = cache.shape[1], new.shape[1]
        slots = (start[:, None] + torch.arange(T, device=start.device)) % S
        rows = torch.arange(cache.shape[0], device=start.device)[:, None]
        cache[rows, slots] = new
        return slots


def get_inputs():
    return [
        torch.randn(BATCH, NEW + ROOM, HEADS, HEAD_DIM),
        torch.randn(BATCH, NEW, HEADS, HEAD_DIM),
        torch.randint(0, ROOM + 1, (BATCH,)),
    ]


def get_init_inputs():
    return []
