"""Size the tile so that every thread moves whole 128-bit vectors."""

from __future__ import annotations

from ..schedule import Choice, Schedule, next_power_of_two
from .site import Site

TRANSFORM = "vector-width"
ACCESSES = 2  # independent 128-bit accesses a thread has under way


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "columns" or schedule.one_tile:
        return "the tile follows from the row or column width"
    accesses = 1 if site.loops.region.unrolled_axes else ACCESSES
    block = schedule.num_warps * site.spec.warp_size * site.vector * accesses
    if schedule.layout == "rows":
        block = min(block, next_power_of_two(site.walked(schedule)))
    if block == schedule.block:
        return f"a tile of {block} already is {accesses} vectors a thread"
    why = (
        f"{schedule.num_warps} warps of {site.spec.warp_size} threads, {accesses} x 128 bit of "
        f"{site.element_bytes}-byte elements each"
    )
    return schedule.decide(Choice("BLOCK", str(block), why, TRANSFORM), block=block)
