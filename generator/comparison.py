"""Times a candidate beside the one it was made from, on the live card, so that a climb follows the clock.

    gain = compare(parent, child, op, device, traced, scratch=folder)
    gain.effect, gain.interval

One fresh process, both kernels interleaved with a cold L2, their results checked against the reference in
float64. It ranks steps; what a user is told comes from `benchmark.py`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
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
    files = {PARENT: parent, CHILD: child}
    asked = request(files, (), op, device, traced, precision, PLAN)
    outcome = (run or in_child)({**asked, "seed": secrets.randbits(48)}, scratch)
    return _gain(outcome)


def _gain(outcome: Outcome) -> Gain:
    if outcome.reply is None:
        return Gain(failure=f"timing it gave no result ({outcome.status}): {outcome.detail}")
    session = Session.from_json(outcome.reply)
    taken = {record.subject: record for record in session.samples}
    parent, child = taken[PARENT], taken[CHILD]
    replaced = [f"it replaces {name}" for name in session.tampered]
    if wrong := [*filter(None, [child.error]), *child.complaints, *replaced]:
        return Gain(failure=wrong[0], fault=True)
    rounds = min(len(parent.device_us), len(child.device_us))
    if parent.error or session.lost or rounds < PLAN.least_early:
        why = parent.error or session.lost or f"time ran out after {rounds} rounds"
        return Gain(failure=f"the parent could not be timed beside it: {why}")
    ratio = ratio_to_fastest(child.device_us[:rounds], [parent.device_us[:rounds]], session.seed % 2**32)
    return Gain(ratio.value, (ratio.low, ratio.high))


Measure = Callable[[Path, Path], Gain]
"""Two kernel files, the parent's first, to what the step gained."""


def on_card(op: Op, device: Device, traced: TracedOp, scratch: Path, precision: str) -> Measure | None:
    """How to measure a step; None where the device is not here."""
    if not device.live:
        return None

    def measure(parent: Path, child: Path) -> Gain:
        folder = scratch / f"step-{child.parent.name}"
        return compare(parent, child, op, device, traced, scratch=folder, precision=precision)

    return measure
