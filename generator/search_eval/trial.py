"""One search on one device: a strategy walks a space whose times are known, and is watched doing it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..comparison import Gain
from ..evaluated import Evaluated
from ..known import Known
from ..search import Climber
from ..strategies.strategy import Strategy
from ..writers.writer import Candidate, Declined, Request, Writer
from .space import Space
from .times import SPREAD

NEAR = 0.95
"""Share of the best of the whole space that a search is asked to reach."""


@dataclass(frozen=True)
class Walk:
    """What a search did. `reached_at` counts the candidates it had compiled when the first of them was within
    `NEAR` of the best (None where none was), `compiled` all of them, `chosen` the share of the best that the
    kernel it ends with reaches, `foreseen` those it did not compile because they were foreseen to be slow."""

    reached_at: int | None
    compiled: int
    chosen: float
    foreseen: int


def walk(
    space: Space, times: Mapping[str, float], writer: Writer, known: Known, strategy: Strategy, seed: int,
    *, clock: bool = True, most: int = 10**6,
) -> Walk:  # fmt: skip
    """Search the space. Without the `clock` the estimate decides, as it does where no card is at hand."""
    climber = _Watched(space, times, writer, known, strategy, seed, clock=clock, most=most)
    climb = climber.climb()
    best = min(times.values())
    found = [times.get(one.code) for one in climber.spent]
    reached = (n for n, us in enumerate(found, 1) if us is not None and best / us >= NEAR)
    chosen = times.get(climb.best.candidate.code) if climb.best else None
    foreseen = sum(t.reason.startswith("not compiled") for t in climb.tried)
    return Walk(next(reached, None), climber.count, best / chosen if chosen else 0.0, foreseen)


class _Watched(Climber):
    """A search whose candidates were compiled and timed before."""

    def __init__(
        self, space: Space, times: Mapping[str, float], writer: Writer, known: Known, strategy: Strategy,
        seed: int, *, clock: bool, most: int,
    ) -> None:  # fmt: skip
        super().__init__(
            writer, space.request, known.order, Path(), deadline=float("inf"), most=most,
            say=lambda text: None, measure=self._gain if clock else None, proven=known.proven,
            seen=known.seen, strategy=strategy, headroom=known.headroom,
        )  # fmt: skip
        self.space, self.times, self.seed = space, times, seed
        self.codes: dict[Path, str] = {}

    def evaluate(self, candidate: Candidate) -> Evaluated:
        found = self.space.of(candidate)
        self.codes[found.path] = candidate.code
        return replace(found, candidate=candidate)

    def _gain(self, parent: Path, child: Path) -> Gain:
        """The ratio of the known times as a clock would find it, with what two timings differ by."""
        before, after = (self.times.get(self.codes[path]) for path in (parent, child))
        if before is None or after is None:
            return Gain(failure="it could not be timed", fault=after is None)
        dice = random.Random(f"{self.seed} {self.codes[parent]} {self.codes[child]}")
        effect = before / after * dice.lognormvariate(0.0, SPREAD)
        return Gain(effect, (effect * (1 - 2 * SPREAD), effect * (1 + 2 * SPREAD)))


class Remembering:
    """A writer that writes each thing once: what it gives depends on what the parent's code does."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.name, self.transforms, self.refinements = writer.name, writer.transforms, writer.refinements
        self.written: dict[tuple[object, ...], Candidate | Declined] = {}

    def write(self, request: Request) -> Candidate | Declined:
        parent = request.parent.code if request.parent else None
        key = (parent, request.transform, request.complaint is not None, request.sample)
        if key not in self.written:
            self.written[key] = self.writer.write(request)
        return self.written[key]
