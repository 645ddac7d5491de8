"""Top-1 routing to experts of one capacity: gated rows, slots and gates; tokens past it are dropped."""

import torch
import torch.nn as nn

TOKENS = 90
DIM = 24
EXPERTS = 6
CAPACITY = 17


class Model(nn.Module):
    def __init__(self, experts, capacity):
        super().__init__()
        self.experts = experts
        self.capacity = capacity

    def forward(self, x, logits):
        e = logits.shape[1]
        cap = self.capacity
        expert = logits.argmax(dim=-1)
        gate = torch.softmax(logits, dim=-1).gather(1, expert[:, None])[:, 0]
        chosen = expert[:, None] == torch.arange(e, device=x.device)[None, :]
        rank = (chosen.long().cumsum(0) - 1).gather(1, expert[:, None])[:, 0]
        keep = rank < cap
        slot = torch.where(keep, expert * cap + rank, e * cap)
        gate = torch.where(keep, gate, torch.zeros_like(gate))
        buf = torch.zeros(e * cap + 1, x.shape[1], dtype=x.dtype, device=x.device)
        buf = buf.index_copy(0, slot, x * gate[:, None])
        return buf[:-1].clone().reshape(e, cap, -1), slot, gate


def get_inputs():
    return [torch.randn(TOKENS, DIM), torch.randn(TOKENS, EXPERTS)]


def get_init_inputs():
    return [EXPERTS, CAPACITY]
