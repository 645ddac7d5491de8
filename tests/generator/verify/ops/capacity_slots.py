"""Places in experts' buffers, first choices first, and what each expert was asked for."""

import torch
from torch import nn

tokens = 1024
choices = 2
experts = 16
capacity = 256


class Model(nn.Module):
    def __init__(self, experts: int, capacity: int) -> None:
        super().__init__()
        self.experts = experts
        self.capacity = capacity

    def forward(self, chosen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = chosen.t().reshape(-1)
        onehot = (flat[:, None] == torch.arange(self.experts, device=chosen.device)).to(torch.int64)
        place = ((onehot.cumsum(0) - 1) * onehot).sum(1)
        slot = torch.where(place < self.capacity, flat * self.capacity + place, self.experts * self.capacity)
        return slot.view(chosen.shape[1], chosen.shape[0]).t().contiguous(), onehot.sum(0)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randint(0, experts, (tokens, choices))]


def get_init_inputs() -> list[int]:
    return [experts, capacity]
