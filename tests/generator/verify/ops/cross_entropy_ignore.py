"""Mean cross entropy of rows of logits, without the rows whose target is -100."""

import torch
from torch import nn

TOKENS = 1024
VOCAB = 8192
IGNORE = -100


class Model(nn.Module):
    def __init__(self, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, target):
        return nn.functional.cross_entropy(logits, target, ignore_index=self.ignore_index)


def get_inputs():
    target = torch.randint(0, VOCAB, (TOKENS,))
    target[torch.rand(TOKENS) < 0.15] = IGNORE
    target[0] = 0
    return [torch.randn(TOKENS, VOCAB), target]


def get_init_inputs():
    return [IGNORE]
