"""Scores of which one leads, and hundreds of others count a little together; or all lie far below zero."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .draws import normal

AHEAD = 8.0
"""By how much one score leads: its rivals weigh a few ten-thousandths each, and hundreds of them some
hundredths together."""


def one_ahead(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Next to nothing, and the first place of each row, and along the longest axis, ahead of all others."""
    drawn = normal(values, generator) * _NEXT_TO_NOTHING
    if drawn.numel() and drawn.ndim:
        for axis in {drawn.ndim - 1, drawn.ndim - 1 - longest(drawn.shape[::-1])}:
            drawn.select(axis, 0).add_(AHEAD)
    return drawn


def one_key_ahead(queries: torch.Tensor, keys: torch.Tensor, generator: torch.Generator) -> None:
    """Fills both in place: the first of `keys` is ahead."""
    keys_ahead(queries, keys, torch.tensor([0]), AHEAD, generator)


def keys_ahead(
    queries: torch.Tensor, keys: torch.Tensor, places: torch.Tensor, by: float, generator: torch.Generator
) -> None:
    """Fills both in place: along the longest axis but the last, the products of the rows of `keys` at these
    places with all `queries` are so far ahead of the others' where they are divided by the root of their
    length, as those of attention are."""
    length = queries.shape[-1]
    towards = torch.randn(length, generator=generator)
    towards *= length**0.5 / towards.norm()
    drawn = normal(keys, generator) * _NEXT_TO_NOTHING
    drawn.movedim(longest(keys.shape[:-1]), 0)[places] += towards * (by / length**0.5)
    queries.copy_(towards + normal(queries, generator) * _NEXT_TO_NOTHING)
    keys.copy_(drawn)


def places_ahead(scores: torch.Tensor, places: torch.Tensor, by: float, generator: torch.Generator) -> None:
    """Fills in place: next to nothing, and ahead at these places of the longest axis, the last of equals."""
    drawn = normal(scores, generator) * _NEXT_TO_NOTHING
    drawn.movedim(-1 - longest(scores.shape[::-1]), 0)[places] += by
    scores.copy_(drawn)


def longest(shape: Sequence[int]) -> int:
    """The longest axis, of equals the first."""
    return max(range(len(shape)), key=lambda axis: shape[axis])


def keys_far_below(queries: torch.Tensor, keys: torch.Tensor, generator: torch.Generator) -> None:
    """Fills both in place: products of rows of the one with rows of the other lie far below zero, and the
    earlier a row of `keys`, the nearer to it, so clearly that rounding makes no difference."""
    _below(
        queries, keys, [min(2.0**_FAR, torch.finfo(one.dtype).max / 16) for one in (queries, keys)], generator
    )


def keys_below(queries: torch.Tensor, keys: torch.Tensor, generator: torch.Generator) -> None:
    """Likewise, and sums of such products are numbers of their type: by thousands, in float16."""
    most = torch.finfo(keys.dtype).max / (16 * max(1, keys.shape[-1]))
    _below(queries, keys, [min(2.0**_FAR, most**0.5)] * 2, generator)


def _below(
    queries: torch.Tensor, keys: torch.Tensor, far: Sequence[float], generator: torch.Generator
) -> None:
    queries.copy_(-far[0] * (1 + torch.rand(queries.shape, generator=generator)))
    axis = longest(keys.shape[:-1])
    rows = torch.arange(keys.shape[axis]) / max(1, keys.shape[axis])
    steps = 1 + rows.view(-1, *[1] * (keys.ndim - 1 - axis))
    keys.copy_(far[1] * steps * (1 + torch.rand(keys.shape[-1], generator=generator)))


_FAR = 40
"""Power of two, of each: sums of some thousand products stay above the -1e30 that stands for infinity."""

_NEXT_TO_NOTHING = 1 / 16
