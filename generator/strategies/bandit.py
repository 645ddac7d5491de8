"""Treats techniques as the arms of a bandit: each step pulls the one whose gain has the highest upper bound.

An arm's mean starts from what was measured of it before, or from its place in the advice, and moves with
what it gains here. Arms that the kernel at hand leaves no room are masked; after the kernel changed, every
arm may be pulled again. The search ends when no arm is left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from .strategy import Knowledge, Move, Moves, Result

LEAST_HEADROOM = 1.03
"""Arms that can give less than this are not pulled."""

FIRST, LAST = 0.10, 0.02
"""Expected gain, as a logarithm, of the technique advised first and of the last one."""

CURIOSITY = 0.1
"""Weight of what is not known of an arm, in the same unit."""


def bandit(root: str, knowledge: Knowledge) -> Moves:
    arms = {t: Arm(_expected(i, t, knowledge)) for i, t in enumerate(knowledge.order)}
    best, headroom, pulled = root, knowledge.headroom, set[tuple[str, int]]()
    while (move := _next(best, arms, headroom, pulled)) is not None:
        result = (yield [move])[0]
        pulled.add((move.transform, move.variant))
        arm = arms[move.transform]
        if result.outcome == "declined":
            continue
        arm.learn(result)
        if result.outcome == "rejected" or knowledge.measured:
            arm.open.add(move.variant + 1)
        if result.kept and result.child is not None:
            best, headroom, pulled = result.child, result.headroom, set()
            for each in arms.values():
                each.open = {0}


class Arm:
    """One technique: its mean gain as a logarithm, with the expectation counted as one pull."""

    def __init__(self, expected: float) -> None:
        self.pulls, self.mean, self.open = 1, expected, {0}

    def learn(self, result: Result) -> None:
        """A kernel that was rejected gained nothing."""
        gain = math.log(result.effect) if result.effect else 0.0
        self.pulls += 1
        self.mean += (gain - self.mean) / self.pulls

    def bound(self, total: int) -> float:
        return self.mean + CURIOSITY * math.sqrt(math.log(total) / self.pulls)


def _next(
    best: str, arms: Mapping[str, Arm], headroom: Mapping[str, float], pulled: set[tuple[str, int]]
) -> Move | None:
    """The open arm with the highest bound; of equals the one advised first."""
    total = sum(arm.pulls for arm in arms.values())
    left = [
        (arm.bound(total), -variant, name)
        for name, arm in arms.items()
        if headroom.get(name, math.inf) >= LEAST_HEADROOM
        for variant in arm.open
        if (name, variant) not in pulled
    ]
    if not left:
        return None
    _, variant, name = max(left, key=lambda one: one[:2])
    return Move(best, name, -variant)


def _expected(place: int, transform: str, knowledge: Knowledge) -> float:
    if transform in knowledge.proven:
        return math.log(knowledge.proven[transform])
    return FIRST + (LAST - FIRST) * place / max(1, len(knowledge.order) - 1)
