import torch
from torch import nn

BATCH = 8
VOCAB = 8192
HISTORY = 64


class Model(nn.Module):
    """Divides positive and multiplies negative logits of tokens seen before by a penalty, once each."""

    def __init__(self, penalty=1.5):
        super().__init__()
        self.penalty = penalty

    def forward(self, logits, seen):
        x = logits.gather(1, seen)
        x = torch.where(x < 0, x * self.penalty, x / self.penalty)
        return logits.scatter(1, seen, x)


def get_inputs():
    seen = torch.stack([torch.arange(HISTORY) * 7 % VOCAB for _ in range(BATCH)])
    return [torch.randn(BATCH, VOCAB), seen]


def get_init_inputs():
    return []
