"""Keeps the best few sequences of techniques and lengthens each by the next ones of the advice.

A sequence may pass through a kernel that gained nothing: what it prepares shows a step later. The moves of a
round do not depend on each other, so they are compiled and timed together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .strategy import Knowledge, Move, Moves, Result

WIDTH = 3
"""Sequences that are lengthened in a round."""

BRANCHES = 3
"""Techniques that are tried on each of them in a round."""

WORSE = 1.05
"""A kernel may be so much slower than the best one and still be built upon."""


@dataclass
class Sequence:
    """A kernel, its time as a share of the plain one's, and the moves that were not yet tried on it."""

    id: str
    cost: float
    left: list[tuple[str, int]] = field(default_factory=list)

    def taken(self) -> list[tuple[str, int]]:
        """The next moves, which are left no more."""
        chosen, self.left = self.left[:BRANCHES], self.left[BRANCHES:]
        return chosen


def beam(root: str, knowledge: Knowledge) -> Moves:
    order = [(transform, 0) for transform in knowledge.order]
    known = {root: Sequence(root, 1.0, list(order))}
    while alive := _alive(known):
        moves = [Move(one.id, *chosen) for one in alive for chosen in one.taken()]
        results = yield moves
        for move, result in zip(moves, results, strict=True):
            parent = known[move.parent]
            if result.outcome == "declined":
                continue
            if result.outcome == "rejected" or knowledge.measured:
                parent.left.append((move.transform, move.variant + 1))
            if result.child is not None and result.child not in known:
                known[result.child] = Sequence(result.child, _cost(parent, result), list(order))


def _alive(known: dict[str, Sequence]) -> list[Sequence]:
    """The best sequences with anything left to try."""
    near = WORSE * min(one.cost for one in known.values())
    ranked = sorted((one for one in known.values() if one.cost <= near), key=lambda one: one.cost)
    return [one for one in ranked[:WIDTH] if one.left]


def _cost(parent: Sequence, result: Result) -> float:
    return parent.cost / result.effect if result.effect else float("inf")
