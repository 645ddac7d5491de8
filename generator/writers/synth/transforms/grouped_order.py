"""Walk the tiles of a matrix product in groups of rows, so that what runs together shares its factors."""

from __future__ import annotations

import math
from dataclasses import replace

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from .site import Site

TRANSFORM = "grouped-program-order"
LEAST_GAIN = 0.1


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if site.spec.unit_count is None:
        return f"the unit count of {site.spec.name} is not known"
    if schedule.group > 1:
        return "done already"
    tiles = Tiles(site.loops, site.spec)
    row_blocks = math.ceil(tiles.shape[1] / schedule.rows)
    choices = [replace(schedule, group=g) for g in (2, 4, 8, 16, 32) if g <= row_blocks]
    best = min(choices, key=tiles.read_bytes, default=schedule)
    before, after = tiles.read_bytes(schedule), tiles.read_bytes(best)
    if after > (1 - LEAST_GAIN) * before:
        return f"the {before / 2**20:.0f} MiB of factors that come from memory are as few in any order"
    why = (
        f"tiles that run together share factors in the L2: {after / 2**20:.0f} MiB of them come from memory "
        f"instead of {before / 2**20:.0f}"
    )
    return schedule.decide(Choice("GROUP", str(best.group), why, TRANSFORM), group=best.group)
