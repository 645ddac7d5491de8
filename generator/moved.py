"""Shows what a step moved: the class that holds the kernel back, and its figures, before and after.

On a live card whose counters may be read the kernel of each accepted step is profiled again, after the search
and not out of its time; else what the compilers and the plan say of both is set side by side, and why there
were no counters is told once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..hardware_specs.spec import DeviceSpec
from ..profiling.classify import Diagnosis, classify
from ..profiling.counters.groups import kernel_groups
from ..profiling.counters.record import CounterReport
from ..profiling.counters.refusals import CountersRefused
from ..profiling.counters.vocabulary import vocabulary
from ..profiling.profile import Level, Profile
from ..profiling.roofline import Estimate
from ..profiling.static import StaticReport
from ..profiling.trace import TracedOp
from .writers.writer import Candidate

COUNTED = (
    "sm_pct", "mem_pct", "dram_pct", "l2_pct", "l1_pct", "pipe_tensor", "valu_pct", "occupancy_achieved",
    "issue_active", "stall_long_scoreboard", "stall_barrier",
)  # fmt: skip
"""Readings of the longest kernel that are compared, as far as both profiles have them."""

COUNTING_S = 90.0
"""After this time no further kernel is counted: a profiler starts the whole program for each."""

SAME = 0.01
"""A figure that changed by less than this share did not move."""

Count = Callable[[Path], CounterReport]
"""A kernel file to what its kernels counted; raises CountersRefused."""


@dataclass(frozen=True)
class Figure:
    """One figure before and after; None where that side does not have it."""

    name: str
    unit: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Moved:
    """What a step changed. `level` is the evidence of both sides; `was` and `now` are the primary classes, ""
    where nothing stands out; `figures` are those that moved."""

    level: Level
    was: str
    now: str
    figures: tuple[Figure, ...]


class Subject(Protocol):
    """A candidate as the search holds it."""

    @property
    def candidate(self) -> Candidate: ...
    @property
    def path(self) -> Path: ...
    @property
    def static(self) -> StaticReport: ...
    @property
    def estimate(self) -> Estimate | None: ...


@dataclass(frozen=True)
class _State:
    level: Level
    cls: str
    figures: Mapping[str, tuple[str, float]]  # name -> unit, value


class Watch:
    """Looks at kernels of one operator on one device; `count` profiles a file where the card is here.

    `refused` is the sentence on why nothing was counted, "" as long as counting works or was never tried.
    """

    def __init__(self, traced: TracedOp, spec: DeviceSpec, count: Count | None = None) -> None:
        self._profile = Profile(traced, spec)
        self._count = count
        self._counted: dict[str, _State | None] = {}
        self._spent_s = 0.0
        self.refused = ""

    def moved(self, parent: Subject, child: Subject) -> Moved:
        """From `parent` to `child`, on the best evidence that both have."""
        before, after = self._by_counters(parent), self._by_counters(child)
        if before is None or after is None:
            before, after = self._by_code(parent), self._by_code(child)
        names = dict.fromkeys((*before.figures, *after.figures))
        figures = (_figure(name, before, after) for name in names)
        return Moved(after.level, before.cls, after.cls, tuple(one for one in figures if _has_moved(one)))

    def _by_counters(self, subject: Subject) -> _State | None:
        """Counted once a candidate; after a refusal nothing is tried again."""
        if subject.candidate.id not in self._counted:
            self._counted[subject.candidate.id] = self._profiled(subject)
        return self._counted[subject.candidate.id]

    def _profiled(self, subject: Subject) -> _State | None:
        if self._count is None or self.refused:
            return None
        if self._spent_s > COUNTING_S:
            self.refused = f"counting stopped after {self._spent_s:.0f} s"
            return None
        begun = time.monotonic()
        try:
            report = self._count(subject.path)
        except CountersRefused as refusal:
            self.refused = str(refusal)
            return None
        finally:
            self._spent_s += time.monotonic() - begun
        longest = kernel_groups(report.launches)[0]
        profile = replace(self._profile, static=subject.static, counters=longest.typical)
        units = vocabulary()
        figures = {
            key: (units[key].unit, value)
            for key in COUNTED
            if (value := longest.typical.value(key)) is not None
        }
        moved = [launch.value(key) for launch in report.launches for key in ("dram_read", "dram_write")]
        times = [launch.value("duration") for launch in report.launches]
        if known := [value for value in times if value is not None]:
            figures["time of all kernels"] = ("us", sum(known) / 1e3)
        if (bytes_moved := [value for value in moved if value is not None]) and None not in moved:
            figures["DRAM traffic"] = ("MiB", sum(bytes_moved) / 2**20)
        figures["launches"] = ("", float(len(report.launches)))
        return _State("A", _primary(classify(profile)), figures)

    def _by_code(self, subject: Subject) -> _State:
        planned = subject.candidate.bytes_per_kernel
        traced = self._profile.traced
        ratio = sum(planned) / traced.bytes_min if planned and traced.bytes_min else None
        profile = replace(self._profile, static=subject.static, traffic_ratio=ratio)
        kernels = subject.static.kernels
        figures: dict[str, tuple[str, float]] = {"kernels": ("", float(sum(k.launches for k in kernels)))}
        if kernels:
            figures |= {
                "registers": ("a thread", float(max(k.registers for k in kernels))),
                "spills": ("byte a thread", float(max(k.spill_bytes for k in kernels))),
                "shared memory": ("byte a block", float(max(k.shared_bytes for k in kernels))),
                "occupancy": ("%", 100 * min(k.occupancy.fraction for k in kernels)),
            }
        if planned:
            figures["planned DRAM traffic"] = ("MiB", sum(planned) / 2**20)
        if subject.estimate is not None:
            figures["estimated time"] = ("us", subject.estimate.total_us)
        return _State(profile.level, _primary(classify(profile)), figures)


def _primary(diagnosis: Diagnosis) -> str:
    return diagnosis.primary.cls if diagnosis.primary else ""


def _figure(name: str, before: _State, after: _State) -> Figure:
    unit = (before.figures.get(name) or after.figures[name])[0]
    was, now = (state.figures[name][1] if name in state.figures else None for state in (before, after))
    return Figure(name, unit, was, now)


def _has_moved(figure: Figure) -> bool:
    if figure.before is None or figure.after is None:
        return True
    return abs(figure.after - figure.before) > SAME * max(abs(figure.before), abs(figure.after))
