import torch
from torch import nn

ROWS = 256
VOCAB = 2048


class Model(nn.Module):
    """Distillation loss of each row at temperature 2."""

    def forward(self, student, teacher):
        s = nn.functional.log_softmax(student / 2.0, dim=-1)
        t = nn.functional.softmax(teacher / 2.0, dim=-1)
        return nn.functional.kl_div(s, t, reduction="none").sum(-1) * 4.0


def get_inputs():
    return [torch.randn(ROWS, VOCAB), torch.randn(ROWS, VOCAB)]


def get_init_inputs():
    return []
