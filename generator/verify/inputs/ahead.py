"""Scores of which one leads, and hundreds of others count a little together; or all lie far below zero."""

from __future__ import annotations

import torch

from .draws import normal

AHEAD = 8.0
"""By how much one score leads: its rivals weigh a few ten-thousandths each, and hundreds of them some
hundredths together."""


def one_ahead(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Next to nothing, and the first place of each row ahead of all others."""
    drawn = normal(values, generator) * _NEXT_TO_NOTHING
    if drawn.numel() and drawn.ndim:
        drawn[..., 0] += AHEAD
    return drawn


def one_key_ahead(queries: torch.Tensor, keys: torch.Tensor, generator: torch.Generator) -> None:
    """Fills both in place: along the longest axis but the last, the products of the first row of `keys` with
    all `queries` are ahead of the others' where they are divided by the root of their length, as those of
    attention are."""
    length = queries.shape[-1]
    towards = torch.randn(length, generator=generator)
    towards *= length**0.5 / towards.norm()
    longest = max(range(keys.ndim - 1), key=lambda axis: keys.shape[axis])
    drawn = normal(keys, generator) * _NEXT_TO_NOTHING
    drawn.select(longest, 0).add_(towards * (AHEAD / length**0.5))
    queries.copy_(towards + normal(queries, generator) * _NEXT_TO_NOTHING)
    keys.copy_(drawn)


def keys_far_below(queries: torch.Tensor, keys: torch.Tensor, generator: torch.Generator) -> None:
    """Fills both in place: products of rows of the one with rows of the other lie far below zero, and the
    earlier a row of `keys`, the nearer to it, so clearly that rounding makes no difference."""
    far = [min(2.0**_FAR, torch.finfo(one.dtype).max / 16) for one in (queries, keys)]
    queries.copy_(-far[0] * (1 + torch.rand(queries.shape, generator=generator)))
    rows = keys.numel() // max(1, keys.shape[-1])
    steps = 1 + torch.arange(rows).view(*keys.shape[:-1], 1) / max(1, rows)
    keys.copy_(far[1] * steps * (1 + torch.rand(keys.shape[-1], generator=generator)))


_FAR = 40
"""Power of two, of each: sums of some thousand products stay above the -1e30 that stands for infinity."""

_NEXT_TO_NOTHING = 1 / 16
