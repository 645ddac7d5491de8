"""Walk only as far along the sums of a tile as both factors have something there."""

from __future__ import annotations

from .....profiling.roofline import LAUNCH_US
from ..schedule import Choice, Schedule
from ..skeletons.zero_tiles import may_be_marked, triangle_of
from ..tiles import Tiles
from .site import Site

TRANSFORM = "zero-tile-skip"
LEFT = 1 / 3
"""Share of the sums of a triangle of results that is left where both factors are triangular themselves."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if schedule.marks:
        return "done already"
    if triangle_of(site.loops) is None:
        return "nothing tells that factors have tiles of zeros"
    if not may_be_marked(site.loops):
        return "tiles of zeros are looked for in whole factors of one product alone"
    tiles = Tiles(site.loops, site.spec)
    marking_us = sum(tiles.factor_bytes()) / site.spec.dram_gb_s * 1e-3 + LAUNCH_US
    saved_us = (1 - LEFT) * tiles.estimate_us(schedule)
    if saved_us <= marking_us:
        return f"to look at the factors takes {marking_us:.0f} us, and at most {saved_us:.0f} us are saved"
    why = (
        f"a product that keeps a triangle often has triangular factors; to look takes {marking_us:.0f} us, "
        f"and where they are, {saved_us:.0f} us are saved; other factors are summed whole"
    )
    return schedule.decide(Choice("sums", "where both factors are", why, TRANSFORM), marks=True)
