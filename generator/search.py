"""Climb from the plain kernel by one technique at a time, in the order of the advice, keeping what helps.

Without the card the estimate over the offline compile says what helps; on a live card the clock does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ..hardware_specs.spec import DeviceSpec
from ..profiling.roofline import Estimate, estimate_us
from ..profiling.static import StaticReport, inspect
from .comparison import Gain, Measure
from .moved import Moved, Watch
from .writers.writer import Candidate, Declined, Request, Writer

NEUTRAL = 0.005
"""A change smaller than this is no change."""

BETTER = 0.05
"""Less traffic or wider accesses count from this share on."""

CLOSE = 0.03
"""Within this share the estimate ranks no two kernels; what is certain of them does."""

KERNEL_EARNS = 0.10
"""What an additional kernel must save: the estimate knows no dependent launch, no tail and no cold start."""

MENDS = 5


@dataclass(frozen=True)
class Evaluated:
    """A candidate with what the offline compile says of it; `estimate` is None where it was rejected."""

    candidate: Candidate
    path: Path
    static: StaticReport
    estimate: Estimate | None


@dataclass(frozen=True)
class Tried:
    """One technique on one parent. `effect` is time before / after, above 1 is faster: measured on the card
    with its 95 % `interval`, or, where that is None, estimated. `moved` is told of accepted steps."""

    transform: str
    parent: str | None
    child: str | None
    outcome: str
    effect: float | None
    reason: str
    kept: bool = False
    interval: tuple[float, float] | None = None
    moved: Moved | None = None

    @property
    def evidence(self) -> Literal["measured", "estimated"]:
        return "measured" if self.interval else "estimated"


@dataclass(frozen=True)
class Climb:
    """Every accepted candidate, plain one first, and every step taken on the way. `uncounted` says why no
    counters show what the steps moved, "" where they do or none could be expected; `spent` is what a writer's
    answers took, None where there were none; `notes` say what the report must not leave out."""

    accepted: tuple[Evaluated, ...]
    tried: tuple[Tried, ...]
    declined: str = ""
    uncounted: str = ""
    spent: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Evaluated | None:
        return self.accepted[-1] if self.accepted else None


class OutOfBudgetError(Exception):
    """The time or the number of candidates is used up."""


class Climber:
    """One search; `order` lists transform ids, best advised first, `proven` what was measured of them before
    on this kind of operator and architecture, as time before / after."""

    def __init__(
        self, writer: Writer, request: Request, order: Sequence[str], scratch: Path, *,
        deadline: float, most: int, say: Callable[[str], None], measure: Measure | None = None,
        proven: Mapping[str, float] | None = None, watch: Watch | None = None,
    ) -> None:  # fmt: skip
        self.writer, self.request, self.order, self.scratch = writer, request, order, scratch
        self.deadline, self.most, self.say, self.measure = deadline, most, say, measure
        self.proven = proven or {}
        self.watch = watch
        self.accepted: list[Evaluated] = []
        self.tried: list[Tried] = []
        self.count = 0

    def climb(self) -> Climb:
        """Search until nothing helps or the budget ends; what was found so far always stands."""
        first = self.writer.write(self.request)
        if isinstance(first, Declined):
            return Climb((), (), first.reason)
        try:
            start = self._mended(self.evaluate(first))
            if start.estimate is None:
                return Climb((), tuple(self.tried), "; ".join(start.static.rejections))
            self.accepted.append(start)
            while self._round():
                pass
        except (OutOfBudgetError, KeyboardInterrupt) as end:
            self.say(str(end) or "stopped; going on with the best so far")
        tried = tuple(self._looked_at(step) for step in self.tried)  # takes nothing of the search's time
        return Climb(tuple(self.accepted), tried, uncounted=self.watch.refused if self.watch else "")

    def _round(self) -> bool:
        """One walk over the advice; a technique that did not apply may after another one was taken."""
        before = len(self.accepted)
        done = {t.transform for t in self.tried if t.outcome != "declined"}
        for transform in self.order:
            if transform not in done:
                self._try(transform)
        return len(self.accepted) > before

    def _try(self, transform: str) -> None:
        parent = self.accepted[-1]
        proposal = self.writer.write(replace(self.request, parent=parent.candidate, transform=transform))
        if isinstance(proposal, Declined):
            self._note(Tried(transform, parent.candidate.id, None, "declined", None, proposal.reason))
            return
        self.say(f"{transform} on {parent.candidate.id}")
        child = self._mended(self.evaluate(proposal))
        if child.estimate is None or parent.estimate is None:
            reason = "; ".join(child.static.rejections) or "nothing to estimate"
            self._note(Tried(transform, parent.candidate.id, child.candidate.id, "rejected", None, reason))
            return
        step = self._compared(transform, parent, child, parent.estimate.total_us / child.estimate.total_us)
        self._note(step)
        if step.kept:
            self.accepted.append(child)

    def _compared(self, transform: str, parent: Evaluated, child: Evaluated, estimated: float) -> Tried:
        """By the clock where the card is here, else by the estimate."""
        why = next((c["why"] for c in child.candidate.choices if c.get("technique") == transform), "")
        gain = self.measure(parent.path, child.path) if self.measure else Gain()
        names = (transform, parent.candidate.id, child.candidate.id)
        if gain.fault:
            return Tried(*names, "rejected", None, f"on the card: {gain.failure}")
        if gain.effect is None or gain.interval is None:
            kept, verdict = _verdict(parent, child, estimated)
            before = self.proven.get(transform, 1.0)
            if not kept and before > 1 + NEUTRAL and estimated > 1 - CLOSE:
                kept, verdict = True, f"kept: it measured {before:.2f}x here before"
            reason = "; ".join(part for part in (why, verdict, gain.failure) if part)
            return Tried(*names, outcome_of(estimated, (estimated, estimated)), estimated, reason, kept)
        outcome = outcome_of(gain.effect, gain.interval)
        return Tried(*names, outcome, gain.effect, why, outcome == "helped", gain.interval)

    def _looked_at(self, step: Tried) -> Tried:
        """An accepted step with what it moved."""
        known = {one.candidate.id: one for one in self.accepted}
        if self.watch is None or not step.kept or step.parent is None or step.child is None:
            return step
        return replace(step, moved=self.watch.moved(known[step.parent], known[step.child]))

    def _note(self, tried: Tried) -> None:
        """A refusal repeated in a later round is told once."""
        if tried.outcome == "declined":
            self.tried = [t for t in self.tried if (t.transform, t.outcome) != (tried.transform, "declined")]
        elif tried.transform in {t.transform for t in self.tried if t.outcome == "declined"}:
            self.tried = [t for t in self.tried if t.transform != tried.transform]
        self.tried.append(tried)

    def _mended(self, found: Evaluated) -> Evaluated:
        """A kernel that spills or does not fit goes back to the writer with the complaint."""
        for _ in range(MENDS):
            if found.estimate is not None:
                return found
            complaint = "; ".join(found.static.rejections)
            mended = self.writer.write(replace(self.request, parent=found.candidate, complaint=complaint))
            if isinstance(mended, Declined):
                return found
            self._note(Tried("shrink-tile", found.candidate.id, mended.id, "neutral", None, complaint))
            found = self.evaluate(mended)
        return found

    def evaluate(self, candidate: Candidate) -> Evaluated:
        """Compile for the target and estimate; raises OutOfBudgetError before it starts past the budget."""
        if self.count >= self.most:
            raise OutOfBudgetError(f"{self.count} candidates were compiled, as many as asked for")
        if self.count and time.monotonic() > self.deadline:
            raise OutOfBudgetError("the time budget is used up")
        self.count += 1
        return compiled(candidate, self.request, self.scratch)


def compiled(candidate: Candidate, request: Request, scratch: Path) -> Evaluated:
    """The candidate as a file, with what the target's compiler and the estimate say of it."""
    folder = scratch / candidate.id
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{request.op.name}_optimized.py"
    path.write_text(candidate.source, encoding="utf-8")
    static = inspect(path, request.op, request.spec, folder)
    return Evaluated(candidate, path, static, estimate_of(candidate, static, request.spec))


def outcome_of(effect: float, interval: tuple[float, float]) -> str:
    """A change that is smaller than `NEUTRAL`, or whose interval holds 1, is none."""
    low, high = interval
    if effect > 1 + NEUTRAL and low > 1:
        return "helped"
    return "hurt" if effect < 1 - NEUTRAL and high < 1 else "neutral"


def _verdict(parent: Evaluated, child: Evaluated, effect: float) -> tuple[bool, str]:
    """Whether the child takes the parent's place, and why where the estimate alone does not say.

    One more kernel must earn `KERNEL_EARNS`. Where the estimates are within `CLOSE`, less traffic decides,
    then wider accesses: both are facts of the compiled code, and other shapes will feel them.
    """
    more = len(child.static.kernels) - len(parent.static.kernels)
    if more > 0 and effect < 1 + KERNEL_EARNS:
        return False, f"not kept: one more kernel must gain {KERNEL_EARNS:.0%}"
    if abs(effect - 1) < CLOSE:
        if merit := _merit(parent, child):
            return True, f"kept: {merit}"
        if merit := _merit(child, parent):
            return False, f"not kept: without it {merit}"
    return effect > 1 + NEUTRAL, ""


def _merit(parent: Evaluated, child: Evaluated) -> str:
    """What is certainly better about a change; "" for nothing."""
    before, after = (sum(e.candidate.bytes_per_kernel or ()) for e in (parent, child))
    if after < (1 - BETTER) * before:
        return f"it moves {after / 2**20:.1f} MiB instead of {before / 2**20:.1f}"
    narrow, wide = access_bits(parent.static), access_bits(child.static)
    if after <= (1 + BETTER) * before and wide > (1 + BETTER) * narrow:
        return f"accesses are {wide:.0f} bit wide on average instead of {narrow:.0f}"
    return ""


def access_bits(static: StaticReport) -> float:
    """Mean width of the streaming accesses in the compiled code, in bits per lane; 0 without any."""
    pairs = [p for k in static.kernels for p in (*k.load_bits.items(), *k.store_bits.items())]
    return sum(bits * count for bits, count in pairs) / max(1, sum(count for _, count in pairs))


def estimate_of(candidate: Candidate, static: StaticReport, spec: DeviceSpec) -> Estimate | None:
    if not static.ok or not static.kernels:
        return None
    planned = candidate.bytes_per_kernel or (0.0,)
    traffic = list(planned) if len(planned) == len(static.kernels) else sum(planned)
    return estimate_us(traffic, candidate.flops, static.kernels, spec, products=candidate.products)
