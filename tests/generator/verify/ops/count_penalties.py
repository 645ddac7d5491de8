import torch
import torch.nn as nn

B, V, L = 8, 1024, 64


class Model(nn.Module):
    """Repetition, frequency and presence penalties on logits from the tokens said so far."""

    def forward(self, logits, said, lens, rep, freq, pres):
        live = torch.arange(said.shape[1], device=said.device)[None, :] < lens[:, None]
        count = torch.zeros(logits.shape, dtype=torch.int64, device=logits.device).scatter_add(
            1, said, live.long()
        )
        r = rep[:, None]
        out = torch.where(count > 0, torch.where(logits > 0, logits / r, logits * r), logits)
        out = out - freq[:, None] * count.to(logits.dtype) - pres[:, None] * (count > 0).to(logits.dtype)
        return out, count


def get_inputs():
    return [
        torch.randn(B, V),
        torch.randint(0, V, (B, L)),
        torch.randint(0, L + 1, (B,)),
        torch.rand(B) + 1.0,
        torch.rand(B) + 0.1,
        torch.rand(B) + 0.1,
    ]


def get_init_inputs():
    return []
