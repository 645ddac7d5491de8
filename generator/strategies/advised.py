"""Walks over the techniques in the order of the advice, one at a time, each on the best kernel so far.

A technique that did not apply may after another one was taken, so the walk is repeated while it takes any;
what was tried once is not tried again. Variants of a technique are tried on the same kernel: until one
compiles, and all of them where the clock compares them.
"""

from __future__ import annotations

from .strategy import Knowledge, Move, Moves, Result, with_variants


def advised(root: str, knowledge: Knowledge) -> Moves:
    best, done, taken = root, set[str](), True
    while taken:
        taken = False
        for transform in [t for t in knowledge.order if t not in done]:
            first = yield [Move(best, transform)]
            results = yield from with_variants(first, knowledge)
            if first[0].outcome != "declined":
                done.add(transform)
            found = kept(results)
            if found is not None and found.child is not None:
                best, taken = found.child, True


def kept(results: list[Result]) -> Result | None:
    """The fastest of those that take their parent's place."""
    return max((r for r in results if r.kept), key=lambda r: r.effect or 1.0, default=None)
