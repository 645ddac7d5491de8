"""Times a candidate beside the one it was made from, on the live card, so that a climb follows the clock.

    gain = compare(parent, child, op, device, traced, scratch=folder)
    gain.effect, gain.interval

One fresh process, both kernels interleaved with a cold L2, their results checked against the reference in
float64. It ranks steps; what a user is told comes from `benchmark.py`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..profiling.device import Device
from ..profiling.interval import ratio_to_fastest
from ..profiling.op import Op
from ..profiling.samples import Session
from ..profiling.sandbox import Outcome
from ..profiling.session import Plan
from ..profiling.trace import TracedOp
from .benchmark import RunChild, in_child, request

PARENT, CHILD = "parent", "child"

PLAN = Plan(
    least_samples=40, most_extra=10, least_early=15, standard_error=0.003, warmup=(3, 5), check_share=0.0,
    audits=0, keep=2, budget_s=30.0,
)  # fmt: skip
"""Enough to tell 1 % on a quiet card; the first timed call of each kernel is checked, no later one."""

REPLACES = "it replaces"
"""How the complaint begins about a candidate that changed torch or a timer."""

RACE = replace(PLAN, least_samples=8, most_extra=2, least_early=8, warmup=(2, 3), budget_s=15.0)
"""Enough to tell who is out of the race, not who has won it."""


@dataclass(frozen=True)
class Gain:
    """Time of the parent over time of the child with its 95 % interval; `failure` says why there is none, and
    `fault` that the child itself is to blame."""

    effect: float | None = None
    interval: tuple[float, float] | None = None
    failure: str = ""
    fault: bool = False


def compare(
    parent: Path, child: Path, op: Op, device: Device, traced: TracedOp, *,
    scratch: Path, precision: str = "fp32", run: RunChild | None = None,
) -> Gain:  # fmt: skip
    """Time both once in one process; whatever goes wrong is told in the gain. `run` replaces the process."""
    return CardClock(op, device, traced, scratch, precision, run or in_child)(parent, child)


@dataclass(frozen=True)
class CardClock:
    """The clock of the card in this machine, for kernels of one operator; `run` makes a timing process."""

    op: Op
    device: Device
    traced: TracedOp
    scratch: Path
    precision: str
    run: RunChild = in_child

    def __call__(self, parent: Path, child: Path) -> Gain:
        return self._timed(parent, [child], PLAN)[0]

    def race(self, parent: Path, children: Sequence[Path]) -> list[Gain]:
        """What each child gains over the parent. All run a few rounds together; those that are slower beyond
        doubt, or wrong, are out, and the others are timed in full."""
        gains = self._timed(parent, children, RACE)
        if any(gain.failure.startswith(REPLACES) for gain in gains):  # and nobody can tell which of them did
            return [self(parent, child) for child in children]
        left = [n for n, gain in enumerate(gains) if not gain.fault and not _lost(gain)]
        if left:
            again = self._timed(parent, [children[n] for n in left], PLAN)
            for n, gain in zip(left, again, strict=True):
                gains[n] = gain
        return gains

    def _timed(self, parent: Path, children: Sequence[Path], plan: Plan) -> list[Gain]:
        """One process for all."""
        names = [CHILD if len(children) == 1 else f"{CHILD} {n}" for n in range(1, len(children) + 1)]
        files = {PARENT: parent, **dict(zip(names, children, strict=True))}
        asked = request(files, (), self.op, self.device, self.traced, self.precision, plan)
        folder = self.scratch / f"step-{children[-1].parent.name}-{len(children)}-{plan.least_samples}"
        outcome = self.run({**asked, "seed": secrets.randbits(48)}, folder)
        return [_gain(outcome, name, plan) for name in names]


def _lost(gain: Gain) -> bool:
    return gain.interval is not None and gain.interval[1] < 1


def _gain(outcome: Outcome, name: str, plan: Plan) -> Gain:
    if outcome.reply is None:
        return Gain(failure=f"timing it gave no result ({outcome.status}): {outcome.detail}")
    session = Session.from_json(outcome.reply)
    taken = {record.subject: record for record in session.samples}
    parent, child = taken[PARENT], taken[name]
    replaced = [f"{REPLACES} {name}" for name in session.tampered]
    if wrong := [*filter(None, [child.error]), *child.complaints, *replaced]:
        return Gain(failure=wrong[0], fault=True)
    rounds = min(len(parent.device_us), len(child.device_us))
    if parent.error or session.lost or rounds < plan.least_early:
        why = parent.error or session.lost or f"time ran out after {rounds} rounds"
        return Gain(failure=f"the parent could not be timed beside it: {why}")
    ratio = ratio_to_fastest(child.device_us[:rounds], [parent.device_us[:rounds]], session.seed % 2**32)
    return Gain(ratio.value, (ratio.low, ratio.high))


Measure = Callable[[Path, Path], Gain]
"""Two kernel files, the parent's first, to what the step gained."""


def on_card(op: Op, device: Device, traced: TracedOp, scratch: Path, precision: str) -> Measure | None:
    """How to measure a step; None where the device is not here."""
    return CardClock(op, device, traced, scratch, precision) if device.live else None
