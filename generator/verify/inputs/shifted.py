"""Moves integers far from zero by what leaves a floating answer as it is: who casts them first loses them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

import torch

from ....profiling.build import Input
from ..reference.operators import words
from ..reference.oracle import Reference
from .integers import floats_out, is_answered, is_whole
from .places import Uses, rises

_BY = {torch.int32: 1 << 30, torch.int64: 1 << 40}
"""A float32 has few whole numbers there, and none of a second's length among stamps of time."""

_WIDE = 0x9E3779B97
"""Odd, of 36 bits, those of the golden ratio, whose multiples lie evenly; times `_SMALL` it is below 2^60."""

_SMALL = 1 << 24
"""What float32 counts to, so that nothing has been lost before."""

_DIFFERENCES, _SUMS, _SEARCHES = words("sub rsub"), words("sum"), words("searchsorted bucketize")


def shifted_together(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """`inputs` with one large number added to all integers that the reference subtracts, stamps of time say,
    where floating results come of nothing but their differences: they are what they were. None elsewhere."""
    return _shifted(reference, inputs, state, _DIFFERENCES, lambda one: one + _BY[one.dtype])


def shifted_keys(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise to keys in order and those that are looked for among them."""
    return _shifted(reference, inputs, state, _SEARCHES, lambda one: one + _BY[one.dtype], in_order_too=True)


def spread_keys(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Keys of 64 bits in order, and those that are looked for, times one large number: the lower 32 bits of
    a key, as a cast to fewer leaves them, are in no order."""
    changed = _shifted(reference, inputs, state, _SEARCHES, _spread, in_order_too=True)
    moved = changed is not None and any(one is not was for one, was in zip(changed, inputs, strict=True))
    return changed if moved else None


def _spread(value: torch.Tensor) -> torch.Tensor:
    return value * _WIDE if value.dtype == torch.int64 else value


def shifted_apart(
    reference: Reference, inputs: Sequence[Input], state: dict[str, torch.Tensor], generator: torch.Generator
) -> list[Input] | None:
    """Likewise to every other integer of a row that the reference adds up, and taken from those between:
    whole sums are what they were, and floating ones are rounded on the way."""
    return _shifted(reference, inputs, state, _SUMS, _apart)


def _shifted(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    by: frozenset[str],
    move: Callable[[torch.Tensor], torch.Tensor],
    in_order_too: bool = False,
) -> list[Input] | None:
    moves = [_may_move(one, in_order_too) and _meets(reference, inputs, state, one, by) for one in inputs]
    usual = reference.tried(inputs, state) if any(moves) else None
    if usual is None or not floats_out(usual) or not is_answered(usual):
        return None
    changed = [
        move(one) if moved and isinstance(one, torch.Tensor) else one
        for one, moved in zip(inputs, moves, strict=True)
    ]
    answer = reference.tried(changed, state)
    stays = answer is not None and all(map(torch.equal, answer.outputs, usual.outputs))
    return changed if stays else None


def _may_move(value: Input, in_order_too: bool) -> TypeGuard[torch.Tensor]:
    """Of one number throughout differences tell nothing; where rows begin they are lengths."""
    if not is_whole(value) or value.dtype not in _BY or (rises(value) and not in_order_too):
        return False
    return bool((value.abs() < _SMALL).all()) and bool((value != value.reshape(-1)[0]).any())


def _meets(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    value: torch.Tensor,
    by: frozenset[str],
) -> bool:
    with Uses([value]) as uses:
        reference.tried(inputs, state)
    return not uses.names.isdisjoint(by)


def _apart(value: torch.Tensor) -> torch.Tensor:
    sign = 1 - 2 * (torch.arange(value.shape[-1]) % 2)
    sign[value.shape[-1] // 2 * 2 :] = 0
    return value + (sign * _BY[value.dtype]).to(value.dtype)
