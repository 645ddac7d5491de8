"""Sums up timing sessions: one `Timing` per subject, with intervals, clock readings and what did not fit."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from .agreement import complaints, kernels
from .interval import median
from .kernel_log import KernelSpan
from .probe import ClockState
from .samples import Floor, Samples, Session
from .vendor import library_share


@dataclass(frozen=True)
class Timing:
    """One subject's time over all sessions in which it did not fail. Medians in microseconds with 95 %
    intervals; `source` says what took them, `doubts` why they should not be believed. `peak_bytes` is the
    most that one call allocated at once on top of what was held before it (a captured graph holds its memory
    between calls); `library_share` is the share of kernel time in a vendor's library. None where unknown."""

    subject: str
    source: str
    median_us: float
    interval_us: tuple[float, float]
    host_us: float
    samples: int
    first_call_us: float
    kernels: tuple[str, ...]
    uncovered_share: float  # of the device windows: those that include launch gaps, the call being host-bound
    before: ClockState | None
    after: ClockState | None
    doubts: tuple[str, ...]
    peak_bytes: int | None = None
    library_share: float | None = None

    @property
    def throttle(self) -> tuple[str, ...]:
        """Why the card ran slower than asked, before or after."""
        states = [state for state in (self.before, self.after) if state]
        return tuple(dict.fromkeys(reason for state in states for reason in state.throttle))

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {**asdict(self), "throttle": list(self.throttle)}


def timing(subject: str, sessions: Sequence[Session]) -> Timing | None:
    """The subject's samples of all sessions, pooled; None when it has none."""
    taken = [
        (session, record)
        for session in sessions
        for record in session.samples
        if record.subject == subject and not record.error
    ]
    device_us = [time for _, record in taken for time in record.device_us]
    host_us = [time for _, record in taken for time in record.host_us]
    if not device_us or not host_us:
        return None
    middle = median(device_us)
    return Timing(
        subject=subject,
        source=sessions[0].source,
        median_us=middle.value,
        interval_us=(middle.low, middle.high),
        host_us=statistics.median(host_us),
        samples=len(device_us),
        first_call_us=taken[0][1].first_call_us,
        kernels=kernels(taken[0][1]),
        uncovered_share=sum(record.uncovered for _, record in taken) / len(device_us),
        before=sessions[0].before,
        after=sessions[-1].after,
        doubts=tuple(dict.fromkeys(doubt for session, record in taken for doubt in _doubts(session, record))),
        peak_bytes=max((r.peak_bytes for _, r in taken if r.peak_bytes is not None), default=None),
        library_share=library_share([launches for _, record in taken for launches in record.audits]),
    )


def _doubts(session: Session, record: Samples) -> tuple[str, ...]:
    """Clocks that disagree, and timed calls whose results were wrong."""
    told = complaints(record, _normal(session, record))
    return (*told, *_unseen(session, record), *record.complaints)


def _unseen(session: Session, record: Samples) -> tuple[str, ...]:
    """Kernels that are not where torch's own run: in no log, or on a stream of their own. A library may run
    all of a call on side streams (cuDNN its groups); the current stream, where the clock runs, is no
    candidate's own."""
    usual = {span.stream for other in session.samples if other.trusted for span in _launched(other)}
    if record.trusted or not usual:
        return ()
    if not (record.audits and all(record.audits)):
        return ("the profiler saw no kernel in some call, though it saw those of the baselines",)
    usual |= {*session.streams}
    apart = sorted({span.name for span in _launched(record) if span.stream not in usual})
    return (f"it runs {apart[0]} on a stream of its own",) if apart else ()


def _launched(record: Samples) -> Iterator[KernelSpan]:
    return (span for launches in record.audits for span in launches)


def _normal(session: Session, record: Samples) -> Floor:
    """How long the device seems busy after an honest call: driver and hypervisor add to an empty call's time.

    The least of the trusted subjects is what the others are held to (measured under a hypervisor: 16 to 33 us
    for eager and compiled PyTorch on an idle H200, 5 us for a call that does nothing).
    """
    trusted = [statistics.median(item.late_us) for item in session.samples if item.trusted and item.late_us]
    if record.trusted and record.late_us:
        trusted = [statistics.median(record.late_us)]
    return replace(session.floor, late_us=max(session.floor.late_us, min(trusted, default=0.0)))
