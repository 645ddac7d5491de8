"""Searches over the answers of a writer that nobody vouches for: each is compiled, judged, then built upon.

First kernels are asked for; one that is refused goes back with the complaint. Then, round by round, the best
few are each improved by the next techniques of the advice, until a round gains nothing, the roof is near or
the budget is spent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from ..profiling.cuda_source import is_cuda
from ..profiling.roofline import LAUNCH_US
from .admit import OF_THE_OP
from .climb import Climb, OutOfBudgetError, Tried
from .comparison import Gain, Measure
from .evaluated import Evaluated
from .merit import outcome_of
from .prompts.briefing import Focus
from .prompts.complaint import of_static, of_verdict
from .verify.verdict import Inconclusive, Passed, Verdict
from .writers.writer import Answering, Candidate, Declined, Request, SpentError

NEAR = 1.05
"""So close to what the card's memory and arithmetic allow, nothing more is asked for."""

TRAFFIC = (
    "Memory traffic is what the judge counted at a small shape, scaled to full size: no writer planned it."
)

Refusal = Literal["rejected", "failed"]


@dataclass(frozen=True)
class Seams:
    """What the beam asks of the rest: compile a candidate, judge it, weigh one that stands (its traffic and
    estimate), tell in words how it stands, time two of them; `floor_us` is what no kernel beats."""

    compiled: Callable[[Candidate], Evaluated]
    judged: Callable[[Evaluated], Verdict]
    weighed: Callable[[Evaluated, Verdict], Evaluated]
    standing: Callable[[Evaluated], str]
    measure: Measure | None
    floor_us: float


@dataclass
class Node:
    """A kernel that stands. `cost` orders them: the estimate in us, or, timed, a share of the first's time;
    `asked` are the techniques that it and those it came from were asked for."""

    found: Evaluated
    cost: float
    asked: set[str] = field(default_factory=set)


class Beam:
    """One search; `most` bounds the candidates that are compiled, `deadline` is on the monotonic clock;
    `seed` is a kernel of another writer to begin with."""

    def __init__(
        self, writer: Answering, request: Request, seams: Seams, *, deadline: float, most: int,
        say: Callable[[str], None], seed: Candidate | None = None,
    ) -> None:  # fmt: skip
        self.writer, self.request, self.seams, self.seed = writer, request, seams, seed
        self.deadline, self.most, self.say = deadline, most, say
        self.nodes: list[Node] = []
        self.tried: list[Tried] = []
        self.seen: set[str] = set()
        self.declined = "no answer held a kernel"

    def climb(self) -> Climb:
        """Search until a round gains nothing or something is used up; what stands by then stays."""
        try:
            if self.seed is not None:
                self._plant(self.seed)
            for sample in range(0 if self.nodes else self.writer.effort.drafts):
                self._answer("draft", replace(self.request, sample=sample), None)
            while self.nodes and not self._near() and self._round():
                self.say(f"best so far {self._best().found.candidate.id}")
        except (OutOfBudgetError, SpentError, KeyboardInterrupt) as end:
            self.say(str(end) or "stopped; going on with the best so far")
            self.declined = str(end) or self.declined
        accepted = tuple(node.found for node in sorted(self.nodes, key=lambda node: -node.cost))
        return Climb(
            accepted, tuple(self.tried), "" if accepted else self.declined, spent=self.writer.spent,
            notes=(TRAFFIC,) if accepted else (),
        )  # fmt: skip

    def _plant(self, seed: Candidate) -> None:
        """The kernel to begin with, looked at like any other."""
        found, verdict, complaint = self._looked_into(seed)
        if verdict is not None and not complaint:
            self._kept(seed.writer, self.seams.weighed(found, verdict), None)
        else:
            self._refused(seed.writer, None, seed.id, "failed" if verdict else "rejected", complaint)

    def _round(self) -> bool:
        """Every parent of the beam once; whether any child was kept."""
        effort = self.writer.effort
        parents = sorted(self.nodes, key=lambda node: node.cost)[: effort.beam]
        kept = False
        for parent in parents:
            for sample, focus in enumerate(self._focuses(parent)[: effort.samples]):
                parent.asked.add(focus.id if focus else "")
                request = replace(
                    self.request, parent=parent.found.candidate, focus=focus, sample=sample,
                    standing=self.seams.standing(parent.found),
                )  # fmt: skip
                kept = self._answer(focus.id if focus else "improve", request, parent) or kept
        return kept

    def _focuses(self, parent: Node) -> list[Focus | None]:
        """Techniques that neither this kernel nor those it came from were asked for, in the advice's order;
        one free hand where the advice names none."""
        briefing = self.request.briefing
        known = list(briefing.focuses) if briefing else []
        left: list[Focus | None] = [one for one in known if one.id not in parent.asked]
        return left if known else [None] * ("" not in parent.asked)

    def _answer(self, technique: str, request: Request, parent: Node | None) -> bool:
        """One question, and its repairs; whether the kernel it ended in was kept.

        What a model gets wrong on the way is told of its own, never laid to the technique it was asked for.
        """
        origin = parent.found.candidate.id if parent else None
        self.say(f"asking for {technique}" + (f" on {origin}" if origin else ""))
        given = self._asked(request)
        for left in reversed(range(self.writer.effort.repairs + 1)):
            if isinstance(given, Declined):
                self._refused(technique, origin, None, "declined", given.reason)
                return False
            if given.id in self.seen:
                self._refused(technique, origin, given.id, "declined", "the same file as before")
                return False
            found, verdict, complaint = self._looked_into(given)
            if verdict is not None and not complaint:
                return self._kept(technique, self.seams.weighed(found, verdict), parent)
            outcome: Refusal = "failed" if verdict is not None else "rejected"
            kind = "repair" if request.complaint else "improve" if request.parent else "draft"
            self._refused(kind, origin, given.id, outcome, f"asked for {technique}: {complaint}")
            if left:
                self.say(f"{given.id} goes back: {complaint.splitlines()[0]}")
                request = replace(self.request, parent=given, complaint=complaint, sample=request.sample)
                given = self._asked(request)
        return False

    def _asked(self, request: Request) -> Candidate | Declined:
        """The writer's answer; nothing is asked for that could not be looked at."""
        if len(self.seen) >= self.most:
            raise OutOfBudgetError(f"{len(self.seen)} candidates were compiled, as many as asked for")
        if self.seen and time.monotonic() > self.deadline:
            raise OutOfBudgetError("the time budget is used up")
        return self.writer.write(request)

    def _looked_into(self, candidate: Candidate) -> tuple[Evaluated, Verdict | None, str]:
        """The candidate compiled, its verdict where it compiles, and the complaint, "" where it stands."""
        self.seen.add(candidate.id)
        found = self.seams.compiled(candidate)
        launches = found.static.kernels or is_cuda(candidate.source)
        if found.static.rejections or not launches:
            return found, None, of_static(found.static) or "forward launches no kernel of its own"
        verdict = self.seams.judged(found)
        stands = isinstance(verdict, Passed) or (
            isinstance(verdict, Inconclusive) and verdict.cause in OF_THE_OP
        )
        return found, verdict, "" if stands else of_verdict(verdict)

    def _kept(self, technique: str, found: Evaluated, parent: Node | None) -> bool:
        """Take a kernel that stands into the beam, and tell what it gained."""
        cost = found.estimate.total_us if found.estimate else float("inf")
        if parent is None:
            self._note(Tried(technique, None, found.candidate.id, "neutral", None, "it stands", True))
            self.nodes.append(Node(found, self._beside_first(found) if self.seams.measure else cost))
            return True
        gain = self.seams.measure(parent.found.path, found.path) if self.seams.measure else Gain()
        names = (technique, parent.found.candidate.id, found.candidate.id)
        if self.seams.measure and (gain.effect is None or gain.interval is None):
            self._note(Tried(*names, "rejected", None, f"on the card: {gain.failure}"))
            return False
        effect, interval = gain.effect or parent.cost / cost, gain.interval
        outcome = outcome_of(effect, interval or (effect, effect))
        better = outcome == "helped"
        self._note(Tried(*names, outcome, effect, f"asked of {self.writer.name}", better, interval))
        if better:
            self.nodes.append(Node(found, parent.cost / effect, set(parent.asked)))
        return better

    def _beside_first(self, found: Evaluated) -> float:
        """The time of a further first kernel as a share of the first's; what cannot be timed comes last."""
        if not self.nodes or self.seams.measure is None:
            return 1.0
        gain = self.seams.measure(self.nodes[0].found.path, found.path)
        return 1.0 / gain.effect if gain.effect else float("inf")

    def _near(self) -> bool:
        """Whether the best kernel is as fast as any can be; only an estimate is in us and can tell."""
        near = self.seams.measure is None and self._best().cost <= NEAR * self.seams.floor_us + LAUNCH_US
        if near:
            self.say("near the roofline: nothing more is asked for")
        return near

    def _best(self) -> Node:
        return min(self.nodes, key=lambda node: node.cost)

    def _refused(self, technique: str, parent: str | None, child: str | None, outcome: str, why: str) -> None:
        self.declined = why
        self._note(Tried(technique, parent, child, outcome, None, why))

    def _note(self, tried: Tried) -> None:
        self.tried.append(tried)
