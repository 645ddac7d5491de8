"""A minimal gated recurrence in half precision over uneven lengths: outputs, and the state at each end."""

import torch
import torch.nn as nn

BATCH = 6
TIME = 200
WIDTH = 512


class Model(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, gate, cand, h0, lengths):
        h = h0.float()
        outs = []
        for t in range(gate.shape[1]):
            f = torch.sigmoid(gate[:, t].float())
            new = (1 - f) * h + f * cand[:, t].float()
            inside = (t < lengths)[:, None]
            h = torch.where(inside, new, h)
            outs.append(torch.where(inside, h, 0.0))
        return torch.stack(outs, dim=1).to(gate.dtype), h.to(gate.dtype)


def get_inputs():
    return [
        torch.randn(BATCH, TIME, WIDTH, dtype=torch.float16),
        torch.randn(BATCH, TIME, WIDTH, dtype=torch.float16),
        torch.randn(BATCH, WIDTH, dtype=torch.float16),
        torch.randint(1, TIME + 1, (BATCH,)),
    ]


def get_init_inputs():
    return []
