"""Counts the waves of a launch: how often the device is filled with blocks, and what the last one costs."""

from __future__ import annotations

import math

from .roofline import LAUNCH_US


def launch_share_pct(time_us: float) -> float:
    """How much of a kernel's time is its launch: 100 % up to twice the time of a launch with nothing in it,
    since neither a better kernel nor a fuller device would then be seen."""
    return min(100.0, 100 * 2 * LAUNCH_US / time_us)


def wave_facts(
    blocks: float, units: float | None, blocks_per_unit: float | None, waves: float | None = None
) -> dict[str, float]:
    """Facts of rules.yaml about the grid; `waves` is a profiler's own figure, used where nothing else is.
    The partial wave can take 1 / (whole waves + 1) of the time; the fuller it is, the less is idle."""
    found: dict[str, float] = {"grid_blocks": blocks}
    if units is not None:
        found["idle_units_pct"] = max(0.0, 100 * (1 - blocks / units))
    if units and blocks_per_unit:
        per_wave = units * blocks_per_unit
        waves = blocks / per_wave
        found["blocks_per_wave"] = per_wave
    if waves is None:
        return found
    whole = math.floor(waves)
    partial = waves - whole
    idle = 1 - waves / math.ceil(waves or 1)
    found |= {"waves": waves, "whole_waves": whole, "idle_slots_pct": 100 * idle}
    if "blocks_per_wave" in found:
        found["partial_blocks"] = round(partial * found["blocks_per_wave"])
        found["tail_bound_pct"] = 100 / (whole + 1) if found["partial_blocks"] else 0.0
    return found
