"""Tells what of a launch the hardware counted, and what any machine could know: its geometry and time."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from .record import Launch

# from the launch itself, the compiled code and a clock; all other keys take a hardware counter
_UNCOUNTED = frozenset((
    "duration", "grid", "block", "regs", "smem_block", "scratch", "waves", "units", "occupancy_theoretical",
    "limit_blocks", "limit_regs", "limit_smem", "limit_warps", "limit_barriers",
))  # fmt: skip


def has_counters(launch: Launch) -> bool:
    """Whether any reading takes a hardware counter."""
    return not launch.readings.keys() <= _UNCOUNTED


def without_counters(launch: Launch) -> Launch:
    """The launch as a machine without counter permission sees it."""
    kept = {key: reading for key, reading in launch.readings.items() if key in _UNCOUNTED}
    return replace(launch, readings=kept, remarks=(), flags=())


def level_of(launch: Launch) -> Literal["A", "B", "C", "D"]:
    """The level of evidence in a launch alone: counters, time with the code's resources, time, neither."""
    if has_counters(launch):
        return "A"
    if launch.value("duration") is None:
        return "D"
    return "C" if launch.value("regs") is None else "B"
