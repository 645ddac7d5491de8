"""Says which kernel is timed next and on which card: several share one, as far as its memory goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .row import Row

TIMED_AT_ONCE = 5
"""Tasks a card: one measures there, the others compile. Of 28 s that a task of KernelBench took, it held the
card for 6 (H200, 2026)."""

_SHARE = 0.9  # of a card's memory that is given to tasks
_LEAST = 4 << 30  # of a task: the driver's context, the cache's flush, what compiling tries

Item = TypeVar("Item")


def needed_bytes(row: Row) -> float:
    """What timing holds on the card: inputs and results of the call, of the reference and in float64, and
    what the operators of the reference hand on."""
    return _LEAST + 5 * (row.least_bytes or 0.0) + 0.5 * (row.eager_bytes or 0.0)


def next_place(
    waiting: Sequence[Item],
    cards: Sequence[str],
    there: Sequence[tuple[Item | None, str]],
    needs: Callable[[Item], float],
    memory_bytes: float,
) -> tuple[Item, str] | None:
    """Of those that some card has room for the one that needs most, and the emptiest such card; None where
    there is none. `there` is what is on the cards, None for what measures the card itself. What needs more
    than a card has gets one to itself."""
    on = {card: [item for item, place in there if place == card] for card in cards}
    for item in sorted(waiting, key=needs, reverse=True):
        for card in sorted(cards, key=lambda card: len(on[card])):
            held = sum(needs(other) for other in on[card] if other is not None)
            room = len(on[card]) < TIMED_AT_ONCE and held + needs(item) <= _SHARE * memory_bytes
            if room or not on[card]:
                return item, card
    return None
