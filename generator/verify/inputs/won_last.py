"""Puts what wins into the last place of a long axis: a place that is kept in a few bits beside its value runs
over there, and usual winners stand anywhere."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import torch

from ....profiling.build import Input
from ..reference.oracle import Ran, Reference
from .integers import is_answered

WON_LAST = "won by the last"
"""The family's name; only a shape that stretches an axis asks for it."""

_OTHERS = 4
"""So many that lose are tried, one after the other."""


def won_last(
    reference: Reference,
    inputs: Sequence[Input],
    state: dict[str, torch.Tensor],
    length: int,
    held: Collection[int] = (),
) -> list[Input] | None:
    """`inputs` rolled along their axis of that `length` so that the place which the reference names first is
    the last; where another that is as good stands before it then, with one that loses in all places but the
    last. None where results name no places of such an axis, or the last already, or those of `held`, which
    rise or divide another, have it."""
    axes = {place: found for place, one in enumerate(inputs) if (found := _axis(one, length)) is not None}
    answer = reference.tried(inputs, state) if axes and not axes.keys() & set(held) else None
    for turn, places in enumerate(answer.outputs if answer is not None else ()):
        if not _names_places(places, length):
            continue
        winner = int(places.reshape(-1)[0])
        rolls = [torch.arange(length).roll(length - 1 - winner)]
        losers = ((winner + (part * length) // (_OTHERS + 1)) % length for part in range(1, _OTHERS + 1))
        for loser in losers:
            alone = torch.full((length,), loser)
            alone[-1] = winner
            rolls.append(alone)
        for roll in rolls:
            changed = [
                one.index_select(axes[place], roll)
                if isinstance(one, torch.Tensor) and place in axes
                else one
                for place, one in enumerate(inputs)
            ]
            if _names_last(reference.tried(changed, state), turn, length):
                return changed
    return None


def _axis(value: Input, length: int) -> int | None:
    """Which of its axes is that long, if one alone is."""
    sides = value.shape if isinstance(value, torch.Tensor) else ()
    found = [axis for axis, side in enumerate(sides) if side == length]
    return found[0] if len(found) == 1 else None


def _names_places(output: torch.Tensor, length: int) -> bool:
    """Whether it may name places of that axis, and not the last."""
    whole = output.dtype in (torch.int32, torch.int64) and output.numel() > 0
    return whole and int(output.min()) >= 0 and int(output.max()) < length - 1


def _names_last(answer: Ran | None, turn: int, length: int) -> bool:
    return answer is not None and is_answered(answer) and int(answer.outputs[turn].max()) == length - 1
