"""Reads trimmed by their qualities, with the errors and the mean quality of what is kept."""

import torch
import torch.nn as nn

READS = 1024
LENGTH = 256


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cutoff = 15
        self.register_buffer("perr", 10.0 ** (-torch.arange(42, dtype=torch.float32) / 10.0))

    def forward(self, ascii_quals, lengths):
        n = ascii_quals.shape[1]
        place = torch.arange(n, device=lengths.device).unsqueeze(0)
        q = (ascii_quals.to(torch.int64) - 33).clamp(0, 41)
        gain = torch.where(place < lengths.unsqueeze(1), self.cutoff - q, 0)
        suffix = gain.flip(1).cumsum(1).flip(1)
        suffix = torch.nn.functional.pad(suffix, (0, 1))
        keep = suffix.argmax(dim=1)
        kept = place < keep.unsqueeze(1)
        errors = torch.where(kept, self.perr[q], 0.0).sum(dim=1)
        total = torch.where(kept, q, 0).sum(dim=1)
        mean = total.to(self.perr.dtype) / keep.clamp(min=1).to(self.perr.dtype)
        return keep, errors, mean


def get_inputs():
    return [
        torch.randint(35, 75, (READS, LENGTH), dtype=torch.uint8),
        torch.randint(LENGTH // 2, LENGTH + 1, (READS,)),
    ]


def get_init_inputs():
    return []
