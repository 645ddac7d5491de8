"""Sets one parameter after another to its best value, round by round, until a round changes nothing.

For writers whose moves are values rather than techniques: all values of a parameter are tried on the same
kernel at once, and the fastest that takes its parent's place is gone on with.
"""

from __future__ import annotations

from .advised import kept
from .strategy import Knowledge, Move, Moves

VALUES = 5
"""Values of a parameter that are tried beside the one it has, nearest first: as many as warps, stages and
groups have others. A longer list is cut at its far end, where the next round may begin anew."""


def descent(root: str, knowledge: Knowledge) -> Moves:
    best, changed = root, True
    while changed:
        changed = False
        for parameter in knowledge.order:
            results = yield [Move(best, parameter, variant) for variant in range(VALUES)]
            found = kept(results)
            if found is not None and found.child is not None:
                best, changed = found.child, True
