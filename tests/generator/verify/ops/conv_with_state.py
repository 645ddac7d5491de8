import torch
from torch import nn

BATCH = 2
CHANNELS = 32
SEQ = 256
TAPS = 4


class Model(nn.Module):
    """A causal depthwise convolution with SiLU, with its state carried from chunk to chunk."""

    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, taps) * 0.5)
        self.bias = nn.Parameter(torch.randn(channels) * 0.1)

    def forward(self, x, state):
        full = torch.cat([state, x], dim=-1)
        y = nn.functional.conv1d(full, self.weight[:, None], self.bias, groups=x.shape[1])
        return nn.functional.silu(y), full[..., x.shape[-1] :].clone()


def get_inputs():
    assert TAPS >= 2
    return [torch.randn(BATCH, CHANNELS, SEQ), torch.randn(BATCH, CHANNELS, TAPS - 1)]


def get_init_inputs():
    return [CHANNELS, TAPS]
