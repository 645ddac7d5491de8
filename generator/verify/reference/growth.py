"""How what a class may always be off by grows with the length of an op's sums and with its depth."""

from __future__ import annotations

import torch

CHAIN = 128
"""Products that may be added one after another in float32 within its floor; longer sums get the floor times
the root of their number over this, as rounding errors grow.

One rounding a term is what an fp32 `tl.dot` makes on a card. Over 100 seeds and fourteen families of inputs
it was off by at most 0.35 of the floor at 44 terms, 0.58 at 64, and 1.15 at 512.
"""

DEPTH = 8
"""Operators that round one after another within the floor of float32; beyond it grows with the root of their
number, as the errors of a network's layers add up.

A running variance behind 56 of them was off by 1.8e-6 of the largest, where eager by its own luck was off by
0.4e-6.
"""

_HALVES = (torch.float16, torch.bfloat16)


def growth(precision: str, dtype: torch.dtype, *, terms: int, steps: int, in_turn: int) -> float:
    """The square of how many times its class's floor a result of `dtype` may be off by. Of a lower class,
    rounded operands are the whole error however many there are.

    Sums of half precision at places are rounded each, as a card's own `index_add` does: where they stay near
    a power of two that is by half an ulp at most, in bfloat16 2**-8 of them, evenly spread, so that the root
    of their number times its floor is 3.5 standard deviations.
    """
    if precision == "fp32":
        return max(1.0, terms / CHAIN) * max(1.0, steps / DEPTH)
    return float(in_turn) if dtype in _HALVES else 1.0
