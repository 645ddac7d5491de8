"""Choose how many queries an attention holds and how many keys it takes a step, and the steps under way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..attention_tiles import AttentionTiles
from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "flash-tiling"
QUERIES, KEYS, WARPS = (16, 32, 64, 128), (32, 64, 128), (4, 8)
WIDE_KEYS = (64,)
"""Keys of a step where products are asynchronous: causal attention of 128 x 1024 x 64 in bf16 on an H200 took
63 us with 64, 69 us with 32 (128 queries, 4 warps), and 91 us with 128 (8 warps)."""

MOST, NEAR = 6, 1.25
"""Tiles that are worth a try, and how far from the best of the model they may be."""

MOST_STAGES = 3
LEAST_SUMS, MOST_SUMS = 8, 160
"""Sums and scores of a thread: fewer leave it idle, more leave no registers for addresses and fragments."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.spec.unit_count is None or site.spec.clock_mhz is None:
        return f"the unit count or the clock of {site.spec.name} is not known"
    found = alternatives(schedule, site)
    if not found:
        return f"no tile does better than {schedule.rows} queries by {schedule.depth} keys"
    return found[0]


def alternatives(schedule: Schedule, site: Site) -> list[Schedule]:
    """Tiles that the model holds to be faster than the one at hand, best first; a clock may differ."""
    tiles = AttentionTiles(site.loops, site.spec)
    times = {candidate: tiles.estimate_us(candidate) for candidate in _candidates(schedule, tiles)}
    least = min(times.values(), default=0.0)
    near = [c for c, us in times.items() if us < tiles.estimate_us(schedule) and us <= NEAR * least]
    return [_decided(schedule, tile, tiles) for tile in sorted(near, key=times.__getitem__)[:MOST]]


def _decided(schedule: Schedule, best: Schedule, tiles: AttentionTiles) -> Schedule:
    why = (
        f"{tiles.programs(best)} programs; a step of {best.num_stages} under way reads "
        f"{best.depth} keys and their values for {best.rows} queries"
    )
    choice = Choice("tile", f"{best.rows} queries x {best.depth} keys", why, TRANSFORM)
    return schedule.decide(
        choice, rows=best.rows, depth=best.depth, num_warps=best.num_warps, num_stages=best.num_stages
    )


def _candidates(schedule: Schedule, tiles: AttentionTiles) -> Iterator[Schedule]:
    most = MOST_STAGES if "cp_async" in tiles.spec.features else 2
    for rows in QUERIES:
        for keys in WIDE_KEYS if "wgmma" in tiles.spec.features else KEYS:
            for warps in WARPS:
                for stages in range(1, most + 1):
                    found = replace(schedule, rows=rows, depth=keys, num_warps=warps, num_stages=stages)
                    if LEAST_SUMS <= tiles.sums(found) <= MOST_SUMS:
                        yield found
