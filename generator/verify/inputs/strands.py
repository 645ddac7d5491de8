"""Rows whose best stand evenly far apart: where a kernel shares a row out to interleaved parts, each of which
hands on some of its best, one of them has all."""

from __future__ import annotations

import torch

from . import draws


def best_in_one_strand(values: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Normal values that fall in the order of their places' bits read backwards, from a place
    on that is drawn: a row's best `m`, for every `m`, stand apart by the largest power of two that leaves so
    many."""
    drawn = draws.normal(values, generator)
    if not drawn.ndim or not drawn.numel():
        return drawn
    length = drawn.shape[-1]
    bits = length.bit_length()
    backwards = [int(f"{place:0{bits}b}"[::-1], 2) for place in range(length)]
    ranks = torch.tensor(backwards).argsort().argsort()
    start = int(torch.randint(0, length, (1,), generator=generator))
    return drawn.sort(-1, descending=True).values[..., ranks.roll(start)]
