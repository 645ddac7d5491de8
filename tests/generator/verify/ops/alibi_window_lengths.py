import torch
import torch.nn as nn

B, H, T, D = 2, 4, 96, 32
WINDOW = 8


class Model(nn.Module):
    """Window attention in half precision with ALiBi and lengths; rows that see nothing are zero."""

    def __init__(self, heads, window):
        super().__init__()
        self.window = window
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8.0 * (i + 1) / heads) for i in range(heads)]))

    def forward(self, q, k, v, lengths):
        t = q.shape[2]
        i = torch.arange(t, device=q.device)
        dist = i[:, None] - i[None, :]
        inside = i[None, :] < lengths[:, None]
        keep = ((dist >= 0) & (dist < self.window))[None] & inside[:, None, :]
        keep = keep[:, None]
        s = torch.matmul(q.float(), k.float().transpose(-1, -2)) * (q.shape[-1] ** -0.5)
        s = s - self.slopes[:, None, None] * dist.float()
        s = s.masked_fill(~keep, float("-inf"))
        p = torch.softmax(s, dim=-1).masked_fill(~keep, 0.0)
        vals = v.float().masked_fill(~inside[:, None, :, None], 0.0)
        return torch.matmul(p, vals).to(q.dtype)


def get_inputs():
    q, k, v = (torch.randn(B, H, T, D).half() for _ in range(3))
    return [q, k, v, torch.randint(T - 6, T + 1, (B,))]


def get_init_inputs():
    return [H, WINDOW]
