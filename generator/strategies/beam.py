"""Keeps the best few sequences of techniques and lengthens each by the next ones of the advice.

A sequence may pass through a kernel that gained nothing: what it prepares shows a step later. The moves of a
round do not depend on each other, so they are compiled and timed together.
"""

from __future__ import annotations

from dataclasses import dataclass

from .strategy import Knowledge, Move, Moves, Result, with_variants

WIDTH = 3
"""Sequences that are lengthened in a round."""

BRANCHES = 3
"""Techniques that are tried on each of them in a round."""

WORSE = 1.05
"""A kernel may be so much slower than the best one and still be built upon."""


@dataclass
class Lineage:
    """A kernel, its time as a share of the plain one's, and the techniques that were not yet tried on it."""

    id: str
    cost: float
    left: list[str]

    def moves(self) -> list[Move]:
        """The next ones, which are left no more."""
        chosen, self.left = self.left[:BRANCHES], self.left[BRANCHES:]
        return [Move(self.id, transform) for transform in chosen]


def beam(root: str, knowledge: Knowledge) -> Moves:
    known = {root: Lineage(root, 1.0, list(knowledge.order))}
    while alive := _alive(known):
        first = yield [move for one in alive for move in one.moves()]
        for result in (yield from with_variants(first, knowledge)):
            if result.child is not None and result.child not in known:
                cost = _cost(known[result.move.parent], result)
                known[result.child] = Lineage(result.child, cost, list(knowledge.order))


def _alive(known: dict[str, Lineage]) -> list[Lineage]:
    """The best sequences that leave anything to try."""
    near = WORSE * min(one.cost for one in known.values())
    left = [one for one in known.values() if one.left and one.cost <= near]
    return sorted(left, key=lambda one: one.cost)[:WIDTH]


def _cost(parent: Lineage, result: Result) -> float:
    return parent.cost / result.effect if result.effect else float("inf")
