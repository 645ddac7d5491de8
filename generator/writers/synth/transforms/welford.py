"""Find mean and variance in one pass by running moments per lane, without the cancellation of E[x^2]."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..stages import find_welford
from .site import Site

TRANSFORM = "welford"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if not find_welford(site.loops.region):
        return "no mean and variance of the same values"
    if schedule.one_tile:
        return "the row is in registers, a second look at it is free and more accurate"
    if schedule.welford:
        return "done already"
    why = "mean and variance in one pass over the row instead of two"
    return schedule.decide(Choice("passes", "Welford", why, TRANSFORM), welford=True)
