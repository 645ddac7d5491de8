"""One step of two substances that diffuse on a ring of rows and columns and react with each other."""

import torch
from torch import nn

HEIGHT, WIDTH = 96, 128


class Model(nn.Module):
    def __init__(self, feed: float, kill: float) -> None:
        super().__init__()
        self.feed, self.kill = feed, kill

    def spread(self, a: torch.Tensor) -> torch.Tensor:
        up, down = torch.roll(a, 1, 0), torch.roll(a, -1, 0)
        sides = up + down + torch.roll(a, 1, 1) + torch.roll(a, -1, 1)
        corners = (
            torch.roll(up, 1, 1) + torch.roll(up, -1, 1) + torch.roll(down, 1, 1) + torch.roll(down, -1, 1)
        )
        return 0.2 * sides + 0.05 * corners - a

    def forward(self, u: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        met = u * v * v
        new_u = u + (0.16 * self.spread(u) - met + self.feed * (1.0 - u))
        new_v = v + (0.08 * self.spread(v) + met - (self.feed + self.kill) * v)
        return new_u, new_v


def get_inputs() -> list[torch.Tensor]:
    return [torch.randn(HEIGHT, WIDTH), torch.randn(HEIGHT, WIDTH)]


def get_init_inputs() -> list[float]:
    return [0.06, 0.062]
