"""Searches from the plain kernel by one technique at a time, in a strategy's order, keeping what helps.

Candidates are weeded out by what costs least first: what is foreseen to be far slower is not compiled, what
spills or does not fit is not timed, what loses a short race is not timed for long. Without the card the
estimate over the offline compile says what helps; on a live card the clock does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ..profiling.compile_cache import CompileCache
from ..retrieval.seen import Seen
from .climb import Climb, OutOfBudgetError, Tried
from .comparison import CardClock, Gain, Measure
from .evaluated import Evaluated, compiled, foreseen_us
from .foresight import Foresight
from .headroom import Headroom
from .merit import NEUTRAL, close_to, outcome_of, verdict
from .moved import Watch
from .strategies.advised import advised
from .strategies.strategy import Knowledge, Move, Result, Strategy
from .writers.writer import Candidate, Declined, Request, Writer

MENDS = 5

HOPELESS = 1.5
"""A candidate foreseen to take so many times what was foreseen of its parent is not compiled: over the spaces
of `kbgen eval search` what is foreseen and what the compiler finds agree at the median (1.0) and for all
but a few (0.7 to 1.2), and those are foreseen alike before and after."""


@dataclass
class Node:
    """A candidate that compiles; `cost` is its time as a share of the plain kernel's, `kept` whether it took
    its parent's place."""

    found: Evaluated
    cost: float
    kept: bool


class Climber:
    """One search; `order` lists transform ids, best advised first, `proven` what was measured of them before
    on this kind of operator and architecture, as time before / after, `seen` what earlier trials let one
    expect; `headroom` bounds what one can give."""

    def __init__(
        self, writer: Writer, request: Request, order: Sequence[str], scratch: Path, *,
        deadline: float, most: int, say: Callable[[str], None], measure: Measure | None = None,
        proven: Mapping[str, float] | None = None, seen: Mapping[str, Seen] | None = None,
        watch: Watch | None = None,
        strategy: Strategy = advised, headroom: Headroom | None = None, cache: CompileCache | None = None,
    ) -> None:  # fmt: skip
        self.writer, self.request, self.order, self.scratch = writer, request, order, scratch
        self.deadline, self.most, self.say, self.measure = deadline, most, say, measure
        self.proven, self.seen = proven or {}, seen or {}
        self.watch, self.strategy, self.headroom, self.cache = watch, strategy, headroom, cache
        self.nodes: dict[str, Node] = {}
        self.known: dict[str, str] = {}
        self.raced: dict[Path, Gain] = {}
        self.tried: list[Tried] = []
        self.spent: list[Candidate] = []
        """What was compiled of the budget's `most`, in order."""

    def climb(self) -> Climb:
        """Search until nothing helps or the budget ends; what was found so far always stands."""
        first = self.writer.write(self.request)
        if isinstance(first, Declined):
            return Climb((), (), first.reason)
        try:
            found, end = self._compiled([first])
            if not found:
                raise end or OutOfBudgetError
            start = found[0]
            if start.estimate is None:
                return Climb((), tuple(self.tried), "; ".join(start.static.rejections))
            self._plant(Node(start, 1.0, True))
            self._walk(start)
        except (OutOfBudgetError, KeyboardInterrupt) as end:
            if not self.nodes:
                return Climb((), (), str(end) or "stopped before a kernel was compiled")
            self.say(str(end) or "stopped; going on with the best so far")
        tried = tuple(self._looked_at(step) for step in self.tried)  # takes nothing of the search's time
        return Climb(self.accepted, tried, uncounted=self.watch.refused if self.watch else "")

    @property
    def count(self) -> int:
        """How many candidates were compiled."""
        return len(self.spent)

    def _plant(self, node: Node) -> None:
        self.nodes[node.found.candidate.id] = node
        self.known[node.found.candidate.code] = node.found.candidate.id

    @property
    def accepted(self) -> tuple[Evaluated, ...]:
        """The plain kernel, then what took its parent's place and is no slower than it, fastest last."""
        first, *others = self.nodes.values()
        better = sorted((n for n in others if n.kept and n.cost <= first.cost), key=lambda n: -n.cost)
        return (first.found, *(node.found for node in better))

    def _walk(self, start: Evaluated) -> None:
        """The strategy's moves, until it has no more."""
        measured = self.measure is not None
        known = Knowledge(self.order, self.seen, self._room(start), self._foreseen(start), measured)
        moves = self.strategy(start.candidate.id, known)
        try:
            batch = next(moves)
            while True:
                batch = moves.send(self._made(batch))
        except StopIteration:
            return

    def _made(self, moves: Sequence[Move]) -> list[Result]:
        """What became of moves that do not depend on each other: written, compiled together, compared.

        Where the budget ends on the way, OutOfBudgetError comes after what was compiled by then is kept.
        """
        written = [self._written(move) for move in moves]
        fresh = {w.code: w for w in written if isinstance(w, Candidate) and w.code not in self.known}
        made, end = self._compiled(list(fresh.values()))
        found = dict(zip(fresh, made, strict=False))
        self._race(moves, [found.get(w.code) if isinstance(w, Candidate) else None for w in written])
        results = [
            self._result(move, w)
            if isinstance(w, Declined)
            else self._again(move, self.known[w.code])
            if w.code in self.known
            else self._result(move, found[w.code])
            for move, w in zip(moves, written, strict=True)
            if isinstance(w, Declined) or w.code in self.known or w.code in found
        ]
        if end is not None:
            raise end
        return results

    def _race(self, moves: Sequence[Move], made: Sequence[Evaluated | None]) -> None:
        """Lets children of one parent run against it together, where a clock can do that."""
        self.raced.clear()
        if not isinstance(self.measure, CardClock):
            return
        for parent in dict.fromkeys(move.parent for move in moves):
            files = dict.fromkeys(
                one.path for move, one in zip(moves, made, strict=True)
                if one is not None and one.estimate is not None and move.parent == parent
            )  # fmt: skip
            if len(files) > 1:
                gains = self.measure.race(self.nodes[parent].found.path, list(files))
                self.raced |= dict(zip(files, gains, strict=True))

    def _again(self, move: Move, id: str) -> Result:
        """A kernel that another sequence of techniques led to before: nothing is compiled or timed anew."""
        effect = self.nodes[move.parent].cost / self.nodes[id].cost
        return Result(move, id, outcome_of(effect, (effect, effect)), effect, False, {})

    def _written(self, move: Move) -> Candidate | Declined:
        """The writer's proposal, unless it is foreseen to be hopeless."""
        parent = self.nodes[move.parent].found
        asked = replace(self.request, parent=parent.candidate, transform=move.transform, sample=move.variant)
        proposal = self.writer.write(asked)
        if isinstance(proposal, Declined):
            return proposal
        before, after = (foreseen_us(one, self.request.spec) for one in (parent.candidate, proposal))
        if before and after and after > HOPELESS * before:
            return Declined(
                f"not compiled: foreseen to take {after:.1f} us where its parent takes {before:.1f}"
            )
        self.say(f"{move.transform} on {move.parent}")
        return proposal

    def _compiled(self, candidates: Sequence[Candidate]) -> tuple[list[Evaluated], OutOfBudgetError | None]:
        """The first of them, as many as the budget lets compile, and its end where those are not all; what
        spills or does not fit goes back to the writer with the complaint, and is compiled in a round more."""
        found, end = self._side_by_side(candidates)
        asked = list(range(len(found)))
        for _ in range(MENDS):
            mended = {place: w for place in asked if (w := self._mended(found[place])) is not None}
            if end is not None or not mended:
                break
            again, end = self._side_by_side(list(mended.values()))
            asked = list(mended)[: len(again)]
            for place, one in zip(asked, again, strict=True):
                complaint, ids = _complaint(found[place]), (found[place].candidate.id, one.candidate.id)
                self._note(Tried("shrink-tile", *ids, "neutral", None, complaint))
                found[place] = one
        return found, end

    def _side_by_side(
        self, candidates: Sequence[Candidate]
    ) -> tuple[list[Evaluated], OutOfBudgetError | None]:
        """Only compiling is left to threads: counted is here, in the order of the candidates, so that equal
        searches are equal."""
        room = candidates[: max(0, self.most - len(self.spent))]
        found: list[Evaluated] = []
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            each = pool.map(self.evaluate, room) if len(room) > 1 else map(self.evaluate, room)
            try:
                for one, made in zip(room, each, strict=True):
                    self.spent.append(one)
                    found.append(made)
            except OutOfBudgetError as end:
                return found, end
        if len(room) == len(candidates):
            return found, None
        return found, OutOfBudgetError(f"{self.count} candidates were compiled, as many as asked for")

    def _result(self, move: Move, child: Evaluated | Declined) -> Result:
        parent = self.nodes[move.parent]
        if isinstance(child, Declined):
            if move.variant == 0:
                self._note(Tried(move.transform, move.parent, None, "declined", None, child.reason))
            return Result(move, None, "declined")
        id = child.candidate.id
        if child.estimate is None or parent.found.estimate is None:
            reason = "; ".join(child.static.rejections) or "nothing to estimate"
            self._note(Tried(move.transform, move.parent, id, "rejected", None, reason))
            return Result(move, None, "rejected")
        estimated = parent.found.estimate.total_us / child.estimate.total_us
        step = self._compared(move.transform, parent.found, child, estimated)
        self._note(step)
        if step.outcome == "rejected" or step.effect is None:
            return Result(move, None, "rejected")
        cost = parent.cost / max(step.effect, 1.0 if step.kept else 0.0)
        self._plant(Node(child, cost, step.kept))
        outcome = outcome_of(step.effect, step.interval or (step.effect, step.effect))
        told = (self._room(child), self._foreseen(child)) if step.kept else ({}, {})
        return Result(move, id, outcome, step.effect, step.kept, *told)

    def _compared(self, transform: str, parent: Evaluated, child: Evaluated, estimated: float) -> Tried:
        """By the clock where the card is here, else by the estimate."""
        why = next((c["why"] for c in child.candidate.choices if c.get("technique") == transform), "")
        gain = self.raced.get(child.path)
        if gain is None:
            gain = self.measure(parent.path, child.path) if self.measure else Gain()
        names = (transform, parent.candidate.id, child.candidate.id)
        if gain.fault:
            return Tried(*names, "rejected", None, f"on the card: {gain.failure}")
        if gain.effect is None or gain.interval is None:
            kept, said = verdict(parent, child, estimated)
            before = self.proven.get(transform, 1.0)
            if not kept and before > 1 + NEUTRAL and close_to(estimated):
                kept, said = True, f"kept: it measured {before:.2f}x here before"
            reason = "; ".join(part for part in (why, said, gain.failure) if part)
            return Tried(*names, outcome_of(estimated, (estimated, estimated)), estimated, reason, kept)
        outcome = outcome_of(gain.effect, gain.interval)
        return Tried(*names, outcome, gain.effect, why, outcome == "helped", gain.interval)

    def _room(self, found: Evaluated) -> Mapping[str, float]:
        """What each technique can give on a kernel at most, where anything bounds it."""
        return self.headroom.of(found) if self.headroom else {}

    def _foreseen(self, found: Evaluated) -> Foresight:
        return Foresight(self.writer, self.request, found.candidate, self.order)

    def _looked_at(self, step: Tried) -> Tried:
        """An accepted step with what it moved."""
        if self.watch is None or not step.kept or step.parent is None or step.child is None:
            return step
        before, after = self.nodes[step.parent].found, self.nodes[step.child].found
        return replace(step, moved=self.watch.moved(before, after))

    def _note(self, tried: Tried) -> None:
        """A refusal that is repeated is told once, and not where the technique applied later."""
        self.tried = [t for t in self.tried if (t.transform, t.outcome) != (tried.transform, "declined")]
        self.tried.append(tried)

    def _mended(self, found: Evaluated) -> Candidate | None:
        """What the writer makes of the complaint; None where there is none, or nothing that it could do."""
        if found.estimate is not None:
            return None
        asked = replace(self.request, parent=found.candidate, complaint=_complaint(found))
        mended = self.writer.write(asked)
        return mended if isinstance(mended, Candidate) else None

    def evaluate(self, candidate: Candidate) -> Evaluated:
        """Compile for the target and estimate; raises OutOfBudgetError before it starts past the deadline.
        Called in threads."""
        self.within_time()
        return compiled(candidate, self.request, self.scratch, self.cache)

    def within_time(self) -> None:
        """Raises OutOfBudgetError past the deadline, unless nothing at all was compiled yet."""
        if self.spent and time.monotonic() > self.deadline:
            raise OutOfBudgetError("the time budget is used up")


def _complaint(found: Evaluated) -> str:
    return "; ".join(found.static.rejections)
