"""Size the tile so that every thread moves whole 128-bit vectors, and say what divides a row's length."""

from __future__ import annotations

import math

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "vector-width"
SEEN = 16  # the JIT tells the compiler of an integer that this divides, and of no smaller divisor


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    told = _tell_divisor(schedule, site)
    if schedule.layout == "columns" or schedule.one_tile:
        return told or "the tile follows from the row or column width"
    accesses, block = site.accesses(schedule.num_warps), site.step(schedule, schedule.num_warps)
    if block == schedule.block:
        return told or f"a tile of {block} already is {accesses} vectors a thread"
    why = (
        f"{schedule.num_warps} warps of {site.spec.warp_size} threads, {accesses} x 128 bit of "
        f"{site.element_bytes}-byte elements each"
    )
    return (told or schedule).decide(Choice("BLOCK", str(block), why, TRANSFORM), block=block)


def _tell_divisor(schedule: Schedule, site: Site) -> Schedule | None:
    """A schedule that knows what divides the distance between rows, where the compiler would not."""
    width = site.loops.kept[-1].size.full if schedule.layout == "columns" else site.columns
    unit = math.gcd(width, site.vector)
    if schedule.layout == "flat" or schedule.nested or schedule.unit > 1 or width % SEEN == 0 or unit == 1:
        return None
    bits = 8 * unit * site.element_bytes
    why = f"{unit} divides {width}, which the compiler cannot see, and so accesses may be {bits} bit wide"
    return schedule.decide(Choice("UNIT", str(unit), why, TRANSFORM), unit=unit)
