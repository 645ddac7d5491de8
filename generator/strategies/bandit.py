"""Treats techniques as the arms of a bandit: each step pulls the one whose gain has the highest upper bound.

An arm's mean starts from what the cost model foresees on the kernel at hand, else from what was measured of
it before or its place in the advice; what it gained here moves it. Arms that the kernel leaves no room are
masked. After the kernel changed, every arm may be pulled again; the search ends when no arm is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from .advised import kept
from .strategy import Knowledge, Move, Moves, Result, with_variants

LEAST_HEADROOM = 1.03
"""Arms that can give less than this are not pulled."""

FIRST, LAST = 0.10, 0.02
"""Expected gain, as a logarithm, of the technique advised first and of the last one."""

CURIOSITY = 0.1
"""Weight of what is not known of an arm, in the same unit."""


class Arm:
    """One technique: how often it applied, and the sum of its gains as logarithms."""

    def __init__(self, expected: float) -> None:
        self.expected, self.pulls, self.gains = expected, 0, 0.0

    def learn(self, results: list[Result]) -> None:
        """The best of its variants counts; kernels that were rejected gained nothing."""
        effects = [r.effect for r in results if r.effect]
        self.pulls += 1
        self.gains += math.log(max(effects, default=1.0))

    def bound(self, foreseen: float | None, total: int) -> float:
        """The expectation counts as one pull."""
        expected = self.expected if foreseen is None else math.log(foreseen)
        mean = (expected + self.gains) / (self.pulls + 1)
        return mean + CURIOSITY * math.sqrt(math.log(total) / (self.pulls + 1))


def bandit(root: str, knowledge: Knowledge) -> Moves:
    arms = {t: Arm(_expected(i, t, knowledge)) for i, t in enumerate(knowledge.order)}
    best, headroom, foreseen, pulled = root, knowledge.headroom, knowledge.foreseen, set[str]()
    while (name := _next(arms, headroom, foreseen, pulled)) is not None:
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
    arms: Mapping[str, Arm], headroom: Mapping[str, float], foreseen: Mapping[str, float], pulled: set[str]
) -> str | None:
    """The arm with the highest bound; of equals the one advised first."""
    total = sum(arm.pulls + 1 for arm in arms.values())
    left = [
        (arm.bound(foreseen.get(name), total), name)
        for name, arm in arms.items()
        if name not in pulled and headroom.get(name, math.inf) >= LEAST_HEADROOM
    ]
    return max(left, key=lambda one: one[0])[1] if left else None


def _expected(place: int, transform: str, knowledge: Knowledge) -> float:
    if transform in knowledge.proven:
        return math.log(knowledge.proven[transform])
    return FIRST + (LAST - FIRST) * place / max(1, len(knowledge.order) - 1)
