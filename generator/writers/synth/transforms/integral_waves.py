"""Choose the flat tile so that the last wave of programs is nearly full."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "integral-waves"
MANY_WAVES = 8
LEAST_GAIN = 0.01


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "flat":
        return "the grid follows from the rows"
    units = site.spec.unit_count
    if units is None:
        return f"the unit count of {site.spec.name} is not known"

    def fill(block: int) -> tuple[float, float]:
        resident = max(1, site.spec.max_warps_per_unit // schedule.num_warps) * units
        waves = -(-site.loops.rows.full // block) / resident
        return waves / max(1, -(-waves // 1)), waves

    share, waves = fill(schedule.block)
    if waves > MANY_WAVES:
        return f"{waves:.0f} waves: the tail is at most {100 / waves:.0f} %"
    best = max((schedule.block // 2, schedule.block, schedule.block * 2), key=lambda b: fill(b)[0])
    if fill(best)[0] < share + LEAST_GAIN or best < site.spec.warp_size * schedule.num_warps:
        return f"the last wave is {share:.0%} full, no other tile does better"
    why = f"waves are {fill(best)[0]:.0%} full instead of {share:.0%}"
    return schedule.decide(Choice("BLOCK", str(best), why, TRANSFORM), block=best)
