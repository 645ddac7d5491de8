"""Places of tokens in buffers of their experts, in token order, -1 where one is full; and all loads."""

import torch
from torch import nn

TOKENS = 16384
CHOICES = 2
EXPERTS = 64
CAPACITY = (TOKENS * CHOICES * 5) // (EXPERTS * 4) + 1


class Model(nn.Module):
    def __init__(self, experts, capacity):
        super().__init__()
        self.experts = experts
        self.capacity = capacity

    def forward(self, expert_ids):
        flat = expert_ids.reshape(-1)
        hot = (flat.unsqueeze(1) == torch.arange(self.experts, device=flat.device)).long()
        place = hot.cumsum(0).gather(1, flat.unsqueeze(1)).squeeze(1) - 1
        slot = torch.where(place < self.capacity, flat * self.capacity + place, -1)
        return slot.reshape(expert_ids.shape), hot.sum(0)


def get_inputs():
    return [torch.randint(0, EXPERTS, (TOKENS, CHOICES))]


def get_init_inputs():
    return [EXPERTS, CAPACITY]
