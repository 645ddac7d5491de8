"""Give each thread two 128-bit accesses of its tile: enough bytes in flight, few registers."""

from __future__ import annotations

from ..schedule import Choice, Schedule, next_power_of_two
from .site import Site

TRANSFORM = "warp-count"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    tile = schedule.block * schedule.rows * (schedule.depth if schedule.layout == "columns" else 1)
    if schedule.layout == "rows" and not schedule.one_tile:
        tile = min(next_power_of_two(site.walked(schedule)), tile)
    warps = site.warps_for(tile, 2 * site.vector)
    if warps == schedule.num_warps:
        return f"{warps} warps already give each thread {tile // (warps * site.spec.warp_size)} elements"
    why = (
        f"a tile of {tile} over {warps} x {site.spec.warp_size} threads is "
        f"{max(1, tile // (warps * site.spec.warp_size))} elements a thread, two 128-bit accesses or fewer"
    )
    return schedule.decide(Choice("num_warps", str(warps), why, TRANSFORM), num_warps=warps)
