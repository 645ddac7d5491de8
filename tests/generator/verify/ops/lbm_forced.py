import torch
import torch.nn as nn

HEIGHT = 48
LENGTH = 64
OMEGA = 1.2

CX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
CY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
OPP = (0, 3, 4, 1, 2, 7, 8, 5, 6)
WT = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


class Model(nn.Module):
    """A step of the D2Q9 lattice Boltzmann method: push, relax (walls turn around), stream with wrap."""

    def __init__(self, omega):
        super().__init__()
        self.omega = omega

    def forward(self, f, push, wall):
        rho = f.sum(dim=0)
        jx = f[1] - f[3] + f[5] - f[6] - f[7] + f[8]
        jy = f[2] - f[4] + f[5] + f[6] - f[7] - f[8]
        ux = jx / rho + push[0]
        uy = jy / rho + push[1]
        uu = 1.5 * (ux * ux + uy * uy)
        out = []
        for i in range(9):
            cu = 3.0 * (CX[i] * ux + CY[i] * uy)
            eq = WT[i] * rho * (1.0 + cu + 0.5 * cu * cu - uu)
            g = torch.where(wall, f[OPP[i]], f[i] + self.omega * (eq - f[i]))
            out.append(torch.roll(g, (CY[i], CX[i]), dims=(0, 1)))
        return torch.stack(out)


def get_inputs():
    f = torch.rand(9, HEIGHT, LENGTH) + 0.5
    return [f, 0.1 * torch.randn(2, HEIGHT, LENGTH), torch.rand(HEIGHT, LENGTH) < 0.3]


def get_init_inputs():
    return [OMEGA]
