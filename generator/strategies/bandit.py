"""Treats techniques as the arms of a bandit: each step pulls the one whose gain has the highest upper bound.

An arm's mean starts from what the cost model foresees on the kernel at hand, else from its place in the
advice; earlier trials, as far as their conditions match, and what it gained here move it. The bound is that
of UCB1 (Auer, Cesa-Bianchi, Fischer 2002) with a smaller constant; what is expected counts as one pull,
earlier trials as what they weigh. Arms that the kernel leaves no room are masked: where the estimate decides
they are not pulled, and where a clock does, which may know better, they are pulled last. After the kernel
changed, every arm may be pulled again; the search ends when no arm is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from ...retrieval.seen import UNSEEN, Seen
from .advised import kept
from .strategy import Knowledge, Move, Moves, Result, by_place, with_variants

LEAST_HEADROOM = 1.03
"""Arms that can give less than this are masked."""

EXPLORATION = 0.1
"""Weight of what is not known of an arm, as the logarithm of a gain; UCB1 has sqrt(2) for rewards up to 1."""


class Arm:
    """One technique: how often it applied, earlier trials included, and its gains' logarithms, added up."""

    def __init__(self, expected: float, seen: Seen) -> None:
        self.expected, self.pulls = expected, seen.weight
        self.gains = seen.weight * seen.gain

    def learn(self, results: list[Result]) -> None:
        """The best of its variants counts; kernels that were rejected gained nothing."""
        effects = [r.effect for r in results if r.effect]
        self.pulls += 1
        self.gains += math.log(max(effects, default=1.0))

    def bound(self, foreseen: float | None, total: float) -> float:
        """The expectation counts as one pull."""
        expected = self.expected if foreseen is None else math.log(foreseen)
        mean = (expected + self.gains) / (self.pulls + 1)
        return mean + EXPLORATION * math.sqrt(math.log(total) / (self.pulls + 1))


def bandit(root: str, knowledge: Knowledge) -> Moves:
    places = by_place(knowledge.order)
    arms = {t: Arm(places[t], knowledge.seen.get(t, UNSEEN)) for t in knowledge.order}
    best, headroom, foreseen, pulled = root, knowledge.headroom, knowledge.foreseen, set[str]()
    while (name := _next(arms, headroom, foreseen, pulled, knowledge.measured)) is not None:
        pulled.add(name)
        first = yield [Move(best, name)]
        if first[0].outcome == "declined":
            continue
        results = yield from with_variants(first, knowledge)
        arms[name].learn(results)
        found = kept(results)
        if found is not None and found.child is not None:
            best, headroom, foreseen, pulled = found.child, found.headroom, found.foreseen, set()


def _next(
    arms: Mapping[str, Arm], headroom: Mapping[str, float], foreseen: Mapping[str, float], pulled: set[str],
    measured: bool,
) -> str | None:  # fmt: skip
    """The arm with the highest bound, those with room first; of equals the one advised first."""
    total = sum(arm.pulls + 1 for arm in arms.values())
    left = [name for name in arms if name not in pulled]
    roomy = [name for name in left if headroom.get(name, math.inf) >= LEAST_HEADROOM]
    choice = roomy or (left if measured else [])
    return max(choice, key=lambda name: arms[name].bound(foreseen.get(name), total), default=None)
