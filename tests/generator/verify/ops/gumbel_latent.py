import torch
import torch.nn as nn

BATCH = 128
LATENTS = 24
CLASSES = 64
TAU = 0.7


class Model(nn.Module):
    """Relaxed categorical latents: chosen class, Gumbel-softmax sample and entropy, of the valid ones."""

    def __init__(self):
        super().__init__()

    def forward(self, logits, gumbel, valid, tau):
        pert = logits + gumbel
        idx = pert.argmax(dim=-1).masked_fill(~valid, 0)
        soft = torch.softmax(pert / tau, dim=-1).masked_fill(~valid.unsqueeze(-1), 0.0)
        logp = torch.log_softmax(logits, dim=-1)
        ent = -(logp.exp() * logp).sum(dim=-1)
        ent = ent.masked_fill(~valid, 0.0).sum(dim=-1)
        return idx, soft, ent


def get_inputs():
    return [
        torch.randn(BATCH, LATENTS, CLASSES),
        -torch.log(-torch.log(torch.rand(BATCH, LATENTS, CLASSES) * 0.998 + 0.001)),
        torch.rand(BATCH, LATENTS) < 0.8,
        TAU,
    ]


def get_init_inputs():
    return []
