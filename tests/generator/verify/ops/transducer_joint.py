"""Log-probabilities of the blank and of the next label at every node of a transducer."""

import torch
import torch.nn as nn

BATCH = 4
FRAMES = 48
LABELS = 15
HIDDEN = 96
VOCAB = 192
BLANK = 0


class Model(nn.Module):
    def __init__(self, hidden, vocab):
        super().__init__()
        self.out = nn.Linear(hidden, vocab)

    def forward(self, enc: torch.Tensor, pred: torch.Tensor, targets: torch.Tensor):
        joint = torch.tanh(enc[:, :, None, :] + pred[:, None, :, :])
        logp = torch.log_softmax(self.out(joint), dim=-1)
        blank = logp[..., BLANK].contiguous()
        index = targets[:, None, :, None].expand(-1, enc.shape[1], -1, 1)
        label = logp[:, :, :-1, :].gather(3, index).squeeze(3)
        return blank, label


def get_inputs():
    return [
        torch.randn(BATCH, FRAMES, HIDDEN),
        torch.randn(BATCH, LABELS + 1, HIDDEN),
        torch.randint(1, VOCAB, (BATCH, LABELS)),
    ]


def get_init_inputs():
    return [HIDDEN, VOCAB]
