import torch
import torch.nn as nn

QUERIES = 40
ENTRIES = 400
WORDS = 8


class Model(nn.Module):
    """The nearest fingerprint for each query: its Hamming distance and the first place it stands at."""

    def __init__(self):
        super().__init__()

    def forward(self, query, base):
        v = (query[:, None, :] ^ base[None, :, :]).to(torch.int64) & 0xFFFFFFFF
        v = v - ((v >> 1) & 0x55555555)
        v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
        v = (v + (v >> 4)) & 0x0F0F0F0F
        v = (v + (v >> 8) + (v >> 16) + (v >> 24)) & 0x3F
        near = torch.min(v.sum(dim=2), dim=1)
        return near.values, near.indices


def get_inputs():
    query = torch.randint(-(2**31), 2**31, (QUERIES, WORDS)).to(torch.int32)
    base = torch.randint(-(2**31), 2**31, (ENTRIES, WORDS)).to(torch.int32)
    return [query, base]


def get_init_inputs():
    return []
