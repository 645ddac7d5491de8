"""The raw record of a timing session, as it travels out of the process that took it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .kernel_log import KernelSpan, from_json
from .probe import ClockState
from .window import DeviceWindow


@dataclass(frozen=True)
class Floor:
    """What the clocks read around a call that does nothing, in microseconds."""

    host_us: float
    late_us: float


@dataclass(frozen=True)
class Alone:
    """Medians of a baseline before any candidate was loaded, in microseconds."""

    device_us: float
    host_us: float


@dataclass
class Samples:
    """The raw record of one subject, as it travels out of the child that took it."""

    subject: str
    trusted: bool = False  # torch's own code, which hides nothing: its readings say what is normal here
    device_us: list[float] = field(default_factory=list)
    host_us: list[float] = field(default_factory=list)
    enqueue_us: list[float] = field(default_factory=list)  # host time until the call returned
    late_us: list[float] = field(default_factory=list)  # how long the device stayed busy after the stop event
    uncovered: int = 0  # device windows that began before the call returned: they include launch gaps
    first_call_us: float = 0.0  # compiling and autotuning, reported apart
    peak_bytes: int | None = None  # the most that one call had allocated at once on top of what was held
    audits: list[list[KernelSpan]] = field(default_factory=list)
    checked: int = 0
    complaints: list[str] = field(default_factory=list)
    unchecked: str = ""  # why a check could not be made, which is not the subject's fault
    error: str = ""

    def note_check(self, check: Callable[[], str]) -> None:
        """Count the check, and keep what it says or why it could not say anything."""
        try:
            complaint = check()
        except Exception as error:  # out of memory in float64, say
            self.unchecked = f"{type(error).__name__}: {error}"
            return
        self.checked += 1
        if complaint:
            self.complaints.append(complaint)

    def add(self, window: DeviceWindow) -> None:
        self.device_us.append(window.device_us)
        self.enqueue_us.append(window.enqueue_us)
        self.late_us.append(window.late_us)
        self.uncovered += not window.covered

    def forget(self) -> None:
        """Drop the warm-up's times; its complaints, first call and error stay."""
        for times in (self.device_us, self.host_us, self.enqueue_us, self.late_us):
            times.clear()
        self.uncovered = self.checked = 0


@dataclass(frozen=True)
class Session:
    """One process's worth of interleaved samples. `complete` says that the plan's count was reached in the
    budget."""

    source: str
    seed: int
    before: ClockState | None
    after: ClockState | None
    floor: Floor
    samples: tuple[Samples, ...]
    complete: bool
    lost: str = ""  # why the device could not be used any further
    environment: Mapping[str, Any] = field(default_factory=dict)  # flags that all subjects shared
    alone: Mapping[str, Alone] = field(
        default_factory=dict
    )  # baselines by name, before a candidate was loaded
    tampered: tuple[str, ...] = ()  # what a candidate replaced while it was timed
    streams: tuple[int, ...] = ()  # those that the clock's own kernels ran on, by the profiler

    def to_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return asdict(self)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Session:
        """The session that `to_json` wrote."""
        plain = {name: raw[name] for name in ("source", "seed", "complete", "lost", "environment")}
        return cls(
            **plain,
            before=_state(raw["before"]),
            after=_state(raw["after"]),
            floor=Floor(**raw["floor"]),
            samples=tuple(_samples(entry) for entry in raw["samples"]),
            alone={name: Alone(**taken) for name, taken in raw["alone"].items()},
            tampered=tuple(raw["tampered"]),
            streams=tuple(raw["streams"]),
        )


def _state(raw: Mapping[str, Any] | None) -> ClockState | None:
    return None if raw is None else ClockState(**{**raw, "throttle": tuple(raw["throttle"])})


def _samples(raw: Mapping[str, Any]) -> Samples:
    audits = [[from_json(span) for span in spans] for spans in raw["audits"]]
    return Samples(**{**raw, "audits": audits})
