"""The logit of every token among the first `lens` ids is made less likely, once."""

import torch
from torch import nn

BATCH = 32
VOCAB = 128256
HISTORY = 2048
PENALTY = 1.2


class Model(nn.Module):
    def __init__(self, penalty):
        super().__init__()
        self.penalty = penalty

    def forward(self, logits, ids, lens):
        vocab = logits.shape[1]
        live = torch.arange(ids.shape[1], device=ids.device) < lens.unsqueeze(1)
        ids = torch.where(live, ids, vocab)
        wide = torch.cat([logits, logits.new_zeros(logits.shape[0], 1)], dim=1)
        score = wide.gather(1, ids)
        score = torch.where(score < 0, score * self.penalty, score / self.penalty)
        return wide.scatter(1, ids, score)[:, :vocab]


def get_inputs():
    logits = torch.randn(BATCH, VOCAB) * 4
    ids = torch.randint(0, VOCAB, (BATCH, HISTORY))
    lens = torch.randint(1, HISTORY + 1, (BATCH,))
    return [logits, ids, lens]


def get_init_inputs():
    return [PENALTY]
