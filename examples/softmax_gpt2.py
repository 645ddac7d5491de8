"""Softmax over the vocabulary of GPT-2: 50257 logits for each of 4096 tokens, float32.

An odd row length: no row after the first starts on a 16-byte boundary.
Sizes: config.json of openai-community/gpt2 (vocab_size), four sequences of n_positions = 1024.
"""

import torch
from torch import nn

tokens = 4096
vocabulary = 50257


class Model(nn.Module):
    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        return torch.softmax(logits, dim=-1)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, vocabulary)]


def get_init_inputs() -> list[int]:
    return []
