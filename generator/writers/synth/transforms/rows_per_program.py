"""Give a program several short rows, so that it has a tile worth launching."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "rows-per-program"
TILE = 2048


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or not schedule.one_tile:
        return "rows are not held whole"
    if schedule.persistent:
        return "programs walk over rows already"
    rows = min(16, TILE // site.padded_columns)
    units = site.spec.unit_count or 1
    while rows > 1 and site.loops.rows.full // rows < 8 * units:
        rows //= 2
    if rows < 2 or rows == schedule.rows:
        return f"a row of {site.columns} is a whole tile, or there are too few rows to share out"
    warps = site.warps_for(site.padded_columns * rows, 2 * site.vector)
    why = f"{rows} rows of {site.columns} make one tile of {rows * site.padded_columns} for {warps} warps"
    return schedule.decide(Choice("ROWS", str(rows), why, TRANSFORM), rows=rows, num_warps=warps)
