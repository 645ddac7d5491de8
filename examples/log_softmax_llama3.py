"""Log-softmax over the vocabulary of Llama-3: 128256 bfloat16 logits per token, float32 result.

A loss or a sampler takes the log-probabilities in float32. Sizes: config.json of
meta-llama/Meta-Llama-3-8B (vocab_size), 4096 tokens.
"""

import torch
from torch import nn

tokens = 4096
vocabulary = 128256


class Model(nn.Module):
    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        return nn.functional.log_softmax(logits, dim=-1, dtype=torch.float32)


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(tokens, vocabulary, dtype=torch.bfloat16)]


def get_init_inputs() -> list[int]:
    return []
