"""Linear layer of weights packed eight to a word, with a scale for each group of words and output."""

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, groups, words, out_features):
        super().__init__()
        self.register_buffer(
            "packed",
            torch.randint(-(2**31), 2**31 - 1, (groups * words, out_features), dtype=torch.int64).to(
                torch.int32
            ),
        )
        self.scales = nn.Parameter(torch.randn(groups, out_features) * 0.1)
        self.bias = nn.Parameter(torch.randn(out_features))

    def forward(self, x):
        shifts = torch.arange(0, 32, 4, device=x.device, dtype=torch.int32)
        q = (self.packed.unsqueeze(1) >> shifts.view(1, 8, 1)) & 15
        q = q.reshape(self.scales.shape[0], -1, self.scales.shape[1]) - 8
        w = (q.to(x.dtype) * self.scales.unsqueeze(1)).reshape(-1, self.scales.shape[1])
        return x @ w + self.bias


rows = 33
groups = 3
words = 5
out_features = 50


def get_inputs():
    return [torch.randn(rows, groups * words * 8)]


def get_init_inputs():
    return [groups, words, out_features]
