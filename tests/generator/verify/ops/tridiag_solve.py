import torch
import torch.nn as nn

B, N = 48, 128


class Model(nn.Module):
    """Batched tridiagonal systems by Thomas' algorithm: lower[:, 0] and upper[:, -1] are not used."""

    def __init__(self):
        super().__init__()

    def forward(self, lower, diag, upper, rhs):
        n = diag.shape[1]
        cs, ds = [], []
        for i in range(n):
            if i == 0:
                den = diag[:, 0]
                num = rhs[:, 0]
            else:
                den = diag[:, i] - lower[:, i] * cs[-1]
                num = rhs[:, i] - lower[:, i] * ds[-1]
            cs.append(upper[:, i] / den)
            ds.append(num / den)
        xs = [ds[-1]]
        for i in range(n - 2, -1, -1):
            xs.append(ds[i] - cs[i] * xs[-1])
        return torch.stack(xs[::-1], dim=1)


def get_inputs():
    return [torch.randn(B, N), torch.rand(B, N) + 5.0, torch.randn(B, N), torch.randn(B, N)]


def get_init_inputs():
    return []
