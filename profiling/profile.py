"""Holds what is known of one subject, from the traced graph to counters, and names the level of that
evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..hardware_specs.spec import DeviceSpec
from .counters.level import has_counters
from .counters.record import Launch
from .static import StaticReport

if TYPE_CHECKING:
    from .timing import Timing
    from .trace import TracedOp

Level = Literal["A", "B", "C", "D"]

LEVELS: dict[Level, str] = {
    "A": "hardware counters, of a live run or of a file brought along",
    "B": "timing and compiled code",
    "C": "timing alone",
    "D": "offline: graph and compiled code, nothing timed",
}


@dataclass(frozen=True)
class Profile:
    """An operator on a device, with whatever evidence there is. `traffic_ratio` is bytes moved over
    bytes_min, counted where the candidate was run; `counters` are of the kernel that takes most of its time;
    `notes` say what could not be had and why."""

    traced: TracedOp
    spec: DeviceSpec
    static: StaticReport | None = None
    timing: Timing | None = None
    traffic_ratio: float | None = None
    counters: Launch | None = None
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> Level:
        if self.counters is not None and has_counters(self.counters):
            return "A"
        if self.timing is None:
            return "D"
        return "B" if self.static is not None else "C"
