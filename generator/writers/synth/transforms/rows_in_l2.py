"""Have so few rows under way that a row's second reading finds it in the L2."""

from __future__ import annotations

from ..dtypes import BYTES
from ..schedule import Choice, Schedule
from ..stages import plan_stages
from .site import Site

TRANSFORM = "rows-in-l2"
SHARE = 0.75  # of the L2 that rows may fill: results and weights pass through it too


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or schedule.one_tile or schedule.splits > 1:
        return "rows are not walked by one program each"
    if schedule.rows_in_l2:
        return "done already"
    stages = plan_stages(
        site.loops.region, online_softmax=schedule.online_softmax, shifted_moments=schedule.shifted_moments
    )
    if len(stages) + site.writes_rows < 2:
        return "a row is read once"
    units, spec = site.spec.unit_count, site.spec
    if units is None:
        return f"the unit count of {spec.name} is not known"
    row = site.columns * sum(BYTES[load.dtype] for load in site.streams)
    warps = schedule.num_warps
    while warps < site.max_warps and _under_way(warps, site) * units * row > SHARE * spec.l2_bytes:
        warps *= 2
    together = min(_under_way(warps, site) * units, site.programs(schedule)) * row
    kib, mib = f"{row / 2**10:.0f} KiB", f"{spec.l2_bytes / 2**20:.0f} MiB"
    if together > SHARE * spec.l2_bytes:
        return f"rows of {kib}, one for each of {units} {spec.unit_name}s, do not stay in an L2 of {mib}"
    block = warps * spec.warp_size * site.vector * (1 if schedule.shifted_moments else 2)
    why = (
        f"{units} {spec.unit_name}s run programs of so many warps on {together / 2**20:.0f} MiB of rows at "
        f"once, so the next reading of a row of {kib} finds it in an L2 of {mib}"
    )
    choice = Choice("num_warps", str(warps), why, TRANSFORM)
    return schedule.decide(choice, instead_of="BLOCK", num_warps=warps, block=block, rows_in_l2=True)


def _under_way(warps: int, site: Site) -> int:
    """Programs of so many warps that a unit runs at once; a block of the largest size takes it alone."""
    return 1 if warps == site.max_warps else max(1, site.spec.max_warps_per_unit // warps)
