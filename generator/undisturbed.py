"""Tells what the baselines take before any candidate is loaded, and whether one was held back afterwards.

A candidate shares its process with the baselines. Whatever it does there (flags, hooks, memory, a kernel left
running) can only win by making them slower, and that shows beside what they took without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ..profiling.samples import Alone, Samples, Session
from ..profiling.session import Plan

PLAN = Plan(
    least_samples=16, most_extra=4, least_early=8, standard_error=0.005, warmup=(2, 4), check_share=0.0,
    audits=None, budget_s=60.0,
)  # fmt: skip

_DEVICE_SHARE, _DEVICE_SLACK_US = 0.05, 1.0
_HOST_SHARE, _HOST_SLACK_US = 0.25, 50.0
"""What a clock that settles or a busy host may add: the host's times are the less steady ones."""


def medians(session: Session) -> dict[str, Alone]:
    """Every baseline that ran, by name."""
    return {
        record.subject: Alone(median(record.device_us), median(record.host_us)) for record in _ran(session)
    }


def launch_bound(session: Session) -> bool:
    """Whether the host takes longer to launch the fastest baseline than the card to run it: there, and only
    there, can a captured graph be faster than what it captures."""
    ran = _ran(session)
    if not ran:
        return False
    fastest = min(ran, key=lambda record: median(record.device_us))
    return median(fastest.enqueue_us) > median(fastest.device_us)


def held_back(session: Session) -> str:
    """How the fastest baseline did worse beside the candidate than alone; "" where it did not."""
    if not session.alone:
        return ""
    beside = {name: taken for name, taken in medians(session).items() if name in session.alone}
    failed = {record.subject: record.error for record in session.samples if record.error}
    fastest = min(session.alone, key=lambda name: session.alone[name].device_us)
    if fastest in failed:
        return f"{fastest} ran before the candidate was loaded and fails beside it: {failed[fastest]}"
    before = min(taken.device_us for taken in session.alone.values())
    now = min((taken.device_us for taken in beside.values()), default=before)
    if now > (1 + _DEVICE_SHARE) * before + _DEVICE_SLACK_US:
        return _slower("takes", before, now)
    before = min(taken.host_us for taken in session.alone.values())
    now = min((taken.host_us for taken in beside.values()), default=before)
    if now > (1 + _HOST_SHARE) * before + _HOST_SLACK_US:
        return _slower("keeps its caller", before, now)
    return ""


def beaten_alone(session: Session, candidate_us: float) -> bool:
    """Whether the candidate is faster than the fastest baseline was without it: what it gains by a hindrance
    that is too small to accuse it of is no gain."""
    return all(candidate_us < taken.device_us for taken in session.alone.values())


def _slower(verb: str, before: float, now: float) -> str:
    return (
        f"the fastest baseline {verb} {now:.1f} us beside the candidate, and took {before:.1f} us before it "
        "was loaded"
    )


def _ran(session: Session) -> Sequence[Samples]:
    return [record for record in session.samples if not record.error and record.device_us and record.host_us]
