"""What a search strategy is: it is told how its moves came out and names the next ones, nothing else.

    moves = advised(root, knowledge)
    batch = next(moves)                    # the first moves
    batch = moves.send(results of batch)   # the next ones; StopIteration ends the search

A strategy reads no clock, file or random source, so equal results give equal moves.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...retrieval.seen import UNSEEN, Seen

Outcome = Literal["declined", "rejected", "helped", "neutral", "hurt"]


@dataclass(frozen=True)
class Move:
    """One technique applied to the candidate `parent`, by its id. `variant` numbers what the technique may
    decide instead, best first by its own model: the tiles of a matrix product, say."""

    parent: str
    transform: str
    variant: int = 0


@dataclass(frozen=True)
class Result:
    """How a move came out: `child` is the id of what was made (None where nothing was), `effect` the time of
    the parent over the child's, `kept` whether the child takes its parent's place.

    Of the techniques that may follow on the child, `headroom` bounds what each can give and `foreseen` is
    what the cost model says of it, both as time before over time after; neither need name every technique.
    """

    move: Move
    child: str | None
    outcome: Outcome
    effect: float | None = None
    kept: bool = False
    headroom: Mapping[str, float] = field(default_factory=dict)
    foreseen: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Knowledge:
    """What is known before the search: `order` of the techniques, best advised first; `seen`, what earlier
    trials let one expect of one; `headroom` and `foreseen` of the kernel to start from, as in `Result`. Where
    effects are `measured`, they may rank the variants of a technique in another order than the model that
    numbered them."""

    order: Sequence[str]
    seen: Mapping[str, Seen] = field(default_factory=dict)
    headroom: Mapping[str, float] = field(default_factory=dict)
    foreseen: Mapping[str, float] = field(default_factory=dict)
    measured: bool = False


Moves = Generator[list[Move], list[Result], None]
Strategy = Callable[[str, Knowledge], Moves]
"""From the id of the plain kernel and what is known to the moves."""

FIRST, LAST = 0.10, 0.02
"""Expected gain, as a logarithm, of the technique advised first and of the last one, before any trial."""


def by_place(order: Sequence[str]) -> dict[str, float]:
    """What the advice alone lets one expect of each technique, as a logarithm."""
    return {t: FIRST + (LAST - FIRST) * i / max(1, len(order) - 1) for i, t in enumerate(order)}


def expected(order: Sequence[str], seen: Mapping[str, Seen]) -> dict[str, float]:
    """The same with what was seen of it: its place in the advice counts as one trial."""
    return {
        name: (place + was.weight * was.gain) / (1 + was.weight)
        for name, place in by_place(order).items()
        for was in (seen.get(name, UNSEEN),)
    }


TOGETHER = 6
"""Variants that are asked for at once where the clock compares them."""


def with_variants(
    results: Sequence[Result], knowledge: Knowledge
) -> Generator[list[Move], list[Result], list[Result]]:
    """The results of techniques with those of their variants on the same kernels: of what applied all of them
    where the clock compares them, else of what did not compile the next ones until one does."""
    found = list(results)
    left = [r.move for r in results if r.outcome != "declined" and (knowledge.measured or not r.child)]
    count = TOGETHER if knowledge.measured else 1
    while left:
        more = yield [replace(m, variant=m.variant + n) for m in left for n in range(1, count + 1)]
        found += more
        last = {replace(r.move, variant=0): r for r in more}
        left = [
            r.move for r in last.values() if r.outcome != "declined" and (knowledge.measured or not r.child)
        ]
    return found
