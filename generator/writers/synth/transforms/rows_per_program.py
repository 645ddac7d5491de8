"""Give a program several short rows, so that it has a tile worth launching."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "rows-per-program"
TILE = 2048
LEAST_ROWS = 4
"""Two rows gain less than half the warps for one: LayerNorm with GELU of 12608 rows of 1024 fp16 took 22.1 us
with 2 rows in 4 warps and 21.2 us with 1 row in 2 warps (H200, row length constant)."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or not schedule.one_tile:
        return "rows are not held whole"
    if schedule.persistent:
        return "programs walk over rows already"
    rows = min(16, TILE // site.padded_columns)
    units = site.spec.unit_count or 1
    while rows > 1 and site.loops.rows.full // rows < 8 * units:
        rows //= 2
    if rows < LEAST_ROWS or rows == schedule.rows:
        return f"a row of {site.columns} is tile enough, or there are too few rows to share out"
    warps = site.warps_for(site.padded_columns * rows, 2 * site.vector)
    why = f"{rows} rows of {site.columns} make one tile of {rows * site.padded_columns} for {warps} warps"
    return schedule.decide(Choice("ROWS", str(rows), why, TRANSFORM), rows=rows, num_warps=warps)
