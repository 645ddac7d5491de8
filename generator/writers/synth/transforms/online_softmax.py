"""Find maximum and sum of exponentials in one pass, rescaling the sum when the maximum grows."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from ..stages import find_online_softmax
from .site import Site

TRANSFORM = "online-softmax"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if not find_online_softmax(site.loops.region):
        return "no sum of exponentials under a maximum"
    if schedule.one_tile:
        return "the row is in registers, a second look at it is free"
    if schedule.online_softmax:
        return "done already"
    why = "maximum and sum in one pass over the row instead of two"
    return schedule.decide(Choice("passes", "online softmax", why, TRANSFORM), online_softmax=True)
