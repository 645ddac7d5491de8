import torch
import torch.nn as nn

T = 1200
B = 20
VOCAB = 32000
IGNORE = -100


class Model(nn.Module):
    """Of packed sequences: places inside one, sequence numbers, labels shifted within each."""

    def __init__(self, ignore):
        super().__init__()
        self.ignore = ignore

    def forward(self, tokens, cu):
        t = torch.arange(tokens.shape[0], device=tokens.device)
        b = cu.shape[0] - 1
        seg = torch.searchsorted(cu[1:].contiguous(), t, right=True)
        valid = seg < b
        safe = seg.clamp(max=b - 1)
        place = torch.where(valid, t - cu[safe], torch.zeros_like(t))
        more = valid & (t + 1 < cu[safe + 1])
        label = torch.where(more, torch.roll(tokens, -1), torch.full_like(tokens, self.ignore))
        return place, torch.where(valid, seg, torch.full_like(seg, -1)), label


def get_inputs():
    step = T // B
    lens = torch.randint(1, max(step, 1) + 1, (B,))
    cu = torch.zeros(B + 1, dtype=torch.int64)
    cu[1:] = torch.cumsum(lens, 0).clamp(max=T)
    return [torch.randint(0, VOCAB, (T,)), cu]


def get_init_inputs():
    return [IGNORE]
