"""Bytes and mean latency of every network flow from a log of packets."""

import torch
import torch.nn as nn

PACKETS = 5300
FLOWS = 130


class Model(nn.Module):
    def __init__(self, flows):
        super().__init__()
        self.flows = flows

    def forward(self, flow, size, latency):
        total = torch.zeros(self.flows, dtype=size.dtype, device=size.device).index_add(0, flow, size)
        count = torch.zeros(self.flows, dtype=latency.dtype, device=latency.device).index_add(
            0, flow, torch.ones_like(latency)
        )
        wait = torch.zeros(self.flows, dtype=latency.dtype, device=latency.device).index_add(0, flow, latency)
        return total, wait / torch.clamp(count, min=1.0)


def get_inputs():
    flow = torch.randint(0, FLOWS, (PACKETS,), dtype=torch.int64)
    size = torch.randint(40, 1501, (PACKETS,), dtype=torch.int64)
    latency = torch.rand(PACKETS)
    return [flow, size, latency]


def get_init_inputs():
    return [FLOWS]
