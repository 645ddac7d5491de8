import torch
import torch.nn as nn

M, K, N, GROUPS = 24, 256, 64, 8


class Model(nn.Module):
    """x times a weight of four bits, eight in a word; zero points likewise, scales by group."""

    def forward(self, x, words, scales, zeros):
        k, n = x.shape[1], words.shape[1]
        sh = torch.arange(0, 32, 4, device=x.device)
        q = ((words[:, None, :] >> sh[None, :, None]) & 15).reshape(k, n)
        z = ((zeros[:, :, None] >> sh) & 15).reshape(zeros.shape[0], n)
        g = torch.arange(k, device=x.device) // (k // scales.shape[0])
        return x @ ((q - z[g]).to(x.dtype) * scales[g])


def get_inputs():
    return [
        torch.randn(M, K),
        torch.randint(-(2**31), 2**31, (K // 8, N), dtype=torch.int32),
        torch.randn(GROUPS, N) * 0.1,
        torch.randint(-(2**31), 2**31, (GROUPS, N // 8), dtype=torch.int32),
    ]


def get_init_inputs():
    return []
