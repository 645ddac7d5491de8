"""Losses whose elements or rows are reduced."""

import torch
from torch import nn

rows = 10
width = 20


class Model(nn.Module):
    def forward(self, x, y, classes):
        logs = torch.log_softmax(x, dim=-1)
        return (
            nn.functional.cross_entropy(x, classes),
            nn.functional.cross_entropy(x, classes, reduction="sum", ignore_index=3),
            nn.functional.kl_div(logs, torch.softmax(y, dim=-1), reduction="batchmean"),
            nn.functional.smooth_l1_loss(x, y, beta=0.5),
            nn.functional.huber_loss(x, y, delta=2.0, reduction="none"),
            nn.functional.mse_loss(x, y),
            nn.functional.l1_loss(x, y, reduction="sum"),
            nn.functional.triplet_margin_loss(x, y, x * 0.5),
            nn.functional.nll_loss(logs, classes),
            nn.functional.nll_loss(x, classes, reduction="none", ignore_index=2),
            nn.functional.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
            nn.functional.binary_cross_entropy_with_logits(x, y, reduction="none"),
            nn.functional.soft_margin_loss(x, torch.sign(y), reduction="sum"),
        )


def get_inputs():
    return [torch.randn(rows, width), torch.randn(rows, width), torch.randint(0, width, (rows,))]


def get_init_inputs():
    return []
