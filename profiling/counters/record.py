"""What a profiler counted, in one vocabulary for all vendors and tools: report, launches, readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Tool = Literal["ncu", "rocprofv3", "rocprof-compute"]


@dataclass(frozen=True)
class Reading:
    """One value under its canonical key, in the unit that vocabulary.yaml gives that key; `source` is the
    tool's own name of what was read, or the names a formula was computed from."""

    value: float
    source: str


@dataclass(frozen=True)
class Remark:
    """What the tool's own rules said of a launch; `speedup_pct` is the tool's estimate, None where it gave
    none."""

    rule: str
    kind: Literal["OPT", "WRN", "INF"]
    text: str
    speedup_pct: float | None = None
    speedup_scope: Literal["global", "local"] | None = None


@dataclass(frozen=True)
class Launch:
    """One profiled launch of one kernel. What the tool did not count is absent from `readings`, never 0.

    `grid_blocks` and `block_threads` are (x, y, z), blocks and threads for both vendors (rocprofv3 counts its
    grid in work-items). `device_name` is as the tool spells it and `arch` the compiler's target ("sm_90",
    "gfx942"), each None where the file does not say. `flags` are sentences that lower confidence in the
    numbers, such as a permission warning or values that contradict each other.
    """

    index: int
    kernel: str
    readings: Mapping[str, Reading]
    grid_blocks: tuple[int, int, int] | None = None
    block_threads: tuple[int, int, int] | None = None
    device_name: str | None = None
    arch: str | None = None
    remarks: tuple[Remark, ...] = ()
    flags: tuple[str, ...] = ()

    def value(self, key: str) -> float | None:
        """The reading of a canonical key, None where it was not counted."""
        reading = self.readings.get(key)
        return None if reading is None else reading.value


@dataclass(frozen=True)
class CounterReport:
    """All launches of one file, folder or run, in the order in which they ran; `notes` are sentences about
    the file as a whole (what was skipped, and why)."""

    tool: Tool
    launches: tuple[Launch, ...]
    tool_version: str | None = None
    notes: tuple[str, ...] = field(default=())
