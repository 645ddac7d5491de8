"""Deliveries counted and their volumes added up by zone and hour, mean volumes, each zone's busiest hour."""

import torch
import torch.nn as nn

EVENTS = 400000
ZONES = 96
HOURS = 24


class Model(nn.Module):
    def __init__(self, zones, hours):
        super().__init__()
        self.zones = zones
        self.hours = hours

    def forward(self, zone, hour, volume, keep):
        place = zone * self.hours + hour
        counts = torch.zeros(self.zones * self.hours, dtype=torch.int64, device=zone.device)
        counts = counts.index_add(0, place, keep.to(torch.int64))
        total = torch.zeros(self.zones * self.hours, dtype=torch.float32, device=zone.device)
        total = total.index_add(0, place, torch.where(keep, volume.float(), 0.0))
        mean = total / counts.clamp(min=1)
        counts = counts.view(self.zones, self.hours)
        return counts, total.view(self.zones, self.hours), mean.view(self.zones, self.hours), counts.argmax(1)


def get_inputs():
    zone = torch.randint(0, ZONES, (EVENTS,))
    hour = torch.randint(0, HOURS, (EVENTS,))
    volume = (torch.rand(EVENTS) * 3 + 0.05).half()
    keep = torch.rand(EVENTS) < 0.9
    return [zone, hour, volume, keep]


def get_init_inputs():
    return [ZONES, HOURS]
