"""The whole table is the answer to a question for some of its rows.

op: embedding
class: B2 structure
expected: wrong-shape
"""

import torch
from torch import nn


class ModelNew(nn.Module):
    def __init__(self, vocabulary: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)

    def forward(self, index: torch.Tensor) -> torch.Tensor:
        return self.table.weight.detach()
