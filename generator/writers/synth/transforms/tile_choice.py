"""Choose the tile of a matrix product by its arithmetic, its reads from the L2 and the waves it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..dtypes import BYTES
from ..schedule import Choice, Schedule, next_power_of_two
from ..tiles import Tiles
from .site import Site

TRANSFORM = "gemm-tile-choice"
SIDES = (16, 32, 64, 128, 256)
LEAST_SIDE = 16
STEP_BYTES = (64, 128)
"""Bytes of a row of factors in a step: two or four sectors, so that every read is whole."""

WARPS = (2, 4, 8)
STAGES = 3
"""Steps under way for which the tile is chosen, where they fit."""

MOST, NEAR = 6, 1.25
"""Tiles that are worth a try, and how far from the best of the model they may be."""

LEAST_SUMS = 8
SUMS_IN_HALVES = 128
"""Sums of a thread from which work on all of them at once takes more registers than there are: a GELU of 128
a thread spills on sm_90, of twice 64 it takes 166 registers (Triton 3.6)."""

MOST_SUMS = {"wgmma": 128, "tcgen05": 128, "mfma": 128}
"""Sums that a thread may hold where its factors need no registers; 64 elsewhere, an 8 x 8 block."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is None:
        return "there is no matrix product"
    if site.spec.unit_count is None or site.spec.clock_mhz is None:
        return f"the unit count or the clock of {site.spec.name} is not known"
    found = alternatives(schedule, site)
    if not found:
        return f"no tile does better than {schedule.rows} x {schedule.block} x {schedule.depth}"
    return found[0]


def alternatives(schedule: Schedule, site: Site) -> list[Schedule]:
    """Tiles that the model holds to be faster than the one at hand, best first; a clock may differ."""
    if schedule.stretch:
        return []  # its tile is the one that products of cut parts were measured with
    tiles = Tiles(site.loops, site.spec)

    def staged_us(candidate: Schedule) -> float:
        """Time with the steps under way that a tile is made for."""
        stages = STAGES if "cp_async" in site.spec.features else 2
        return min(tiles.estimate_us(c) for c in (candidate, replace(candidate, num_stages=stages)))

    times = {candidate: staged_us(candidate) for candidate in _candidates(schedule, tiles)}
    least = min(times.values(), default=0.0)
    near = [c for c, us in times.items() if us < staged_us(schedule) and us <= NEAR * least]
    return [_decided(schedule, tile, tiles) for tile in sorted(near, key=times.__getitem__)[:MOST]]


def _decided(schedule: Schedule, best: Schedule, tiles: Tiles) -> Schedule:
    waves = tiles.programs(best) / max(1, tiles.resident(best) * (tiles.spec.unit_count or 1))
    name = f"{best.rows} x {best.block} x {best.depth}"
    why = (
        f"{tiles.programs(best)} of them make {waves:.2g} waves; a step does "
        f"{_reuse(best):.0f} multiply-adds for each element it reads"
    )
    halves = tiles.sums(best) >= SUMS_IN_HALVES
    if halves:
        why += "; what follows is done for half of its columns at a time"
    choice = Choice("tile", name, why, TRANSFORM)
    return schedule.decide(
        choice, rows=best.rows, block=best.block, depth=best.depth, num_warps=best.num_warps, halves=halves
    )


def _reuse(schedule: Schedule) -> float:
    return schedule.rows * schedule.block / (schedule.rows + schedule.block)


def _candidates(schedule: Schedule, tiles: Tiles) -> Iterator[Schedule]:
    """Every tile worth considering, no larger than the results and the summed direction ask for."""
    _, rows, cols, depth = tiles.shape
    spec, item = tiles.spec, BYTES[tiles.dtype]
    vector = tiles.dtype == "fp32"  # parts of split factors are cut in registers
    steps = STEP_BYTES if schedule.dot == "ieee" else STEP_BYTES[1:]
    most = 64 if vector else max((MOST_SUMS[f] for f in MOST_SUMS if f in spec.features), default=64)
    most_rows, most_cols = (max(LEAST_SIDE, next_power_of_two(n)) for n in (rows, cols))
    for m in (s for s in SIDES if s <= most_rows):
        for n in (s for s in SIDES if s <= most_cols):
            for k in {max(16, min(b // item, next_power_of_two(depth))) for b in steps}:
                for warps in WARPS:
                    tile = replace(schedule, rows=m, block=n, depth=k, num_warps=warps)
                    if LEAST_SUMS <= tiles.sums(tile) <= most:
                        yield tile
