"""The loss of classes, where -100 is left out by hand."""

import torch
from torch import nn

ROWS, CLASSES = 48, 200


class Model(nn.Module):
    def forward(self, logp, labels):
        keep = labels != -100
        own = logp.gather(1, labels.clamp(min=0)[:, None])[:, 0]
        return -(own * keep).sum() / keep.sum().clamp(min=1)


def get_inputs():
    return [torch.log_softmax(torch.randn(ROWS, CLASSES), -1), torch.randint(0, CLASSES, (ROWS,))]


def get_init_inputs():
    return []
