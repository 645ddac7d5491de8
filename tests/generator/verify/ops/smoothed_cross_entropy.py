import torch
from torch import nn

TOKENS = 256
VOCAB = 4096


class Model(nn.Module):
    """Language model loss with label smoothing; -100 marks ignored tokens."""

    def __init__(self, smoothing=0.1):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits, targets):
        return nn.functional.cross_entropy(logits, targets, ignore_index=-100, label_smoothing=self.smoothing)


def get_inputs():
    return [torch.randn(TOKENS, VOCAB), torch.randint(0, VOCAB, (TOKENS,))]


def get_init_inputs():
    return []
