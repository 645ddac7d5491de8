"""Complex channel mixing per Fourier mode, real and imaginary parts apart."""

import torch
import torch.nn as nn

BATCH = 48
MODES = 40
C_IN = 64
C_OUT = 80


class Model(nn.Module):
    def __init__(self, modes, c_in, c_out):
        super().__init__()
        self.w_re = nn.Parameter(torch.randn(modes, c_in, c_out) * c_in**-0.5)
        self.w_im = nn.Parameter(torch.randn(modes, c_in, c_out) * c_in**-0.5)

    def forward(self, re, im):
        out_re = torch.einsum("bmi,mio->bmo", re, self.w_re) - torch.einsum("bmi,mio->bmo", im, self.w_im)
        out_im = torch.einsum("bmi,mio->bmo", re, self.w_im) + torch.einsum("bmi,mio->bmo", im, self.w_re)
        return out_re, out_im


def get_inputs():
    return [torch.randn(BATCH, MODES, C_IN), torch.randn(BATCH, MODES, C_IN)]


def get_init_inputs():
    return [MODES, C_IN, C_OUT]
