"""LayerNorm followed by GELU on the tokens of ViT-L/16: width 1024, float16.

Sizes: Dosovitskiy et al. 2021 (arXiv 2010.11929), table 1; an image of 224 x 224 pixels in patches of
16 x 16 gives 196 tokens and the class token; 64 images.
"""

import torch
from torch import nn

images = 64
tokens = 197
width = 1024


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width, eps=1e-6, dtype=torch.float16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.gelu(self.norm(x))


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(images, tokens, width, dtype=torch.float16)]


def get_init_inputs() -> list[int]:
    return [width]
