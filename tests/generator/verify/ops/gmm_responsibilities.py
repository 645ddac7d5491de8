"""E step of a Gaussian mixture with diagonal covariances: responsibilities and log likelihoods."""

import math

import torch
import torch.nn as nn

N = 2048
D = 12
K = 16


class Model(nn.Module):
    def __init__(self, components, dim):
        super().__init__()
        self.means = nn.Parameter(torch.randn(components, dim))
        self.log_var = nn.Parameter(torch.randn(components, dim) * 0.2)
        self.mix_logits = nn.Parameter(torch.randn(components) * 0.5)

    def forward(self, x):
        diff = x[:, None, :] - self.means[None, :, :]
        quad = (diff.pow(2) * torch.exp(-self.log_var)).sum(-1)
        norm = self.log_var.sum(-1) + x.shape[1] * math.log(2.0 * math.pi)
        logp = torch.log_softmax(self.mix_logits, 0) - 0.5 * (quad + norm)
        ll = torch.logsumexp(logp, dim=1)
        return torch.exp(logp - ll[:, None]), ll


def get_inputs():
    return [torch.randn(N, D)]


def get_init_inputs():
    return [K, D]
