"""Writes new keys into an int8 cache in place, a scale per token and head; slot -1 is skipped."""

import torch
from torch import nn

T, H, D, NS = 2048, 8, 128, 8192


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, k, slots, cache, scales):
        ns = cache.shape[0]
        amax = k.abs().amax(-1).clamp(min=1e-4)
        sc = amax / 127.0
        q = torch.round(k / sc[..., None]).clamp(-127, 127).to(torch.int8)
        idx = torch.where(slots < 0, torch.full_like(slots, ns), slots)
        c = torch.cat([cache, cache[:1]]).index_copy(0, idx, q)
        s = torch.cat([scales, scales[:1]]).index_copy(0, idx, sc)
        cache.copy_(c[:ns])
        scales.copy_(s[:ns])
        return cache, scales


def get_inputs():
    slots = torch.randperm(NS)[:T]
    slots = torch.where(torch.rand(T) < 0.1, torch.full_like(slots, -1), slots)
    cache = torch.randint(-127, 128, (NS, H, D)).to(torch.int8)
    return [torch.randn(T, H, D), slots, cache, torch.rand(NS, H)]


def get_init_inputs():
    return []
