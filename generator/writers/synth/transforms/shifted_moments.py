"""Find mean and variance in one pass, by sums of distances to a shift that is near the mean."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..stages import find_moments
from .site import Site

TRANSFORM = "shifted-moments"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if not find_moments(site.loops.region):
        return "no mean and variance of the same values"
    if schedule.one_tile:
        return "the row is in registers, a second look at it is free and more accurate"
    if schedule.shifted_moments:
        return "done already"
    why = "mean and variance in one pass over the row, from distances to the mean of its first tile"
    return schedule.decide(Choice("passes", "shifted moments", why, TRANSFORM), shifted_moments=True)
