"""Reduce over an outer dimension by tiles of neighbouring columns, so that accesses stay contiguous."""

from __future__ import annotations

from ..schedule import Choice, Schedule, next_power_of_two
from .site import Site

TRANSFORM = "column-tiles"
ACCUMULATORS = 32  # running values a thread may hold, each beside an element that is under way


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "columns":
        return "the reduced dimension is the innermost one"
    if schedule.one_tile:
        return "the columns are held whole"
    width = site.loops.kept[-1].size.full
    block = min(next_power_of_two(width), site.spec.warp_size * site.vector)
    units = site.spec.unit_count or 1
    while block > 32 and site.loops.rows.full // width * -(-width // block) < 2 * units:
        block //= 2
    warps = 4 if site.spec.warp_size == 32 else 2
    lanes = ACCUMULATORS * warps * site.spec.warp_size // (2 * site.running_values)
    depth = max(1, min(next_power_of_two(site.columns), lanes // block))
    if (block, depth) == (schedule.block, schedule.depth):
        return f"tiles are {block} wide already"
    why = (
        f"{block} neighbouring columns are {block * site.element_bytes} contiguous bytes a row of the tile; "
        f"{depth} rows are in flight"
    )
    return schedule.decide(
        Choice("tile", f"{depth} x {block}", why, TRANSFORM), block=block, depth=depth, num_warps=warps
    )
