"""Sum no tile of a product that a triangle behind it leaves out."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..skeletons.zero_tiles import triangle_of
from .site import Site

TRANSFORM = "triangular-tiles"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if schedule.triangle:
        return "done already"
    triangle = triangle_of(site.loops)
    if triangle is None:
        return "all results of the product are needed"
    side = "below" if triangle.upper else "above"
    why = f"tiles that lie {side} the diagonal are zero whatever their sums are, so these are not taken"
    return schedule.decide(Choice("steps", "of needed tiles", why, TRANSFORM), triangle=True)
