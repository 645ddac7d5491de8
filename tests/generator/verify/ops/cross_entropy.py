"""Mean cross-entropy of logits against int64 classes: one number."""

import torch
from torch import nn

ROWS, CLASSES = 24, 200


class Model(nn.Module):
    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits, target, ignore_index=-100)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(ROWS, CLASSES), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs() -> list[object]:
    return []
