"""Mean and maximum of each sequence of a packed batch, zeros where it has no tokens."""

import torch
from torch import nn

TOKENS = 16384
CHANNELS = 512
SEQS = 128


class Model(nn.Module):
    """cu_seqlens: int32, rising from 0 to the number of tokens."""

    def forward(self, x, cu_seqlens):
        seqs = cu_seqlens.shape[0] - 1
        cu = cu_seqlens.long()
        place = torch.arange(x.shape[0], device=x.device)
        seg = torch.searchsorted(cu[1:].contiguous(), place, right=True)
        count = (cu[1:] - cu[:-1]).unsqueeze(1)
        total = x.new_zeros(seqs, x.shape[1]).index_add(0, seg, x)
        mean = total / count.clamp(min=1)
        low = x.new_full((seqs, x.shape[1]), float("-inf"))
        top = low.scatter_reduce(0, seg.unsqueeze(1).expand_as(x), x, reduce="amax")
        top = torch.where(count > 0, top, torch.zeros_like(top))
        return torch.cat([mean, top], dim=1)


def get_inputs():
    x = torch.randn(TOKENS, CHANNELS)
    cuts = (torch.randperm(TOKENS - 1)[: SEQS - 1] + 1).sort().values
    cu = torch.cat([torch.tensor([0]), cuts, torch.tensor([TOKENS])]).to(torch.int32)
    return [x, cu]


def get_init_inputs():
    return []
