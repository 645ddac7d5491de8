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
LEAST_BYTES = 32
"""The least step of matrix units that take int8."""

STEP_BYTES = (64, 128)
"""Bytes of a row of factors in a step: two or four sectors, so that every read is whole."""

WARPS = (1, 2, 4, 8)
MOST_OF_A_WARP = 256
"""Results of a program of one warp: small products of a batch, with nobody to wait for at a barrier."""

STAGES = 3
"""Steps under way for which the tile is chosen, where they fit."""

MOST, NEAR = 6, 1.25
"""Tiles that are worth a try, and how far from the best of the model they may be."""

LINE_BYTES = 128
"""Neighbours in memory that lanes read at once."""

MOST_OF_LANES = 64
"""Sums of a thread that adds up lanes, beside the elements that it has under way."""

LEAST_SUMS = 8
IN_HALVES = "; what follows is done for half of its columns at a time"
SUMS_IN_HALVES = 128
"""Sums of a thread from which work on all of them at once takes more registers than there are: a GELU of 128
a thread spills on sm_90, of twice 64 it takes 166 registers (Triton 3.6)."""

MOST_SUMS_OF_PARTS = 32
"""The same where six products of parts are cut in registers: 256 x 256 results of 524288 terms in 64 parts
took 1.15 ms on an H200 with tiles of 64 x 64, 1.31 ms with 64 x 128 (4 warps); on sm_80 64 sums spill."""

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
    times = {candidate: staged_us(tiles, candidate) for candidate in _candidates(schedule, tiles)}
    least = min(times.values(), default=0.0)
    near = [c for c, us in times.items() if us < staged_us(tiles, schedule) and us <= NEAR * least]
    return [_decided(schedule, tile, tiles) for tile in sorted(near, key=times.__getitem__)[:MOST]]


def staged_us(tiles: Tiles, schedule: Schedule) -> float:
    """Time with the steps under way that a tile is made for."""
    stages = STAGES if "cp_async" in tiles.spec.features else 2
    return min(tiles.estimate_us(c) for c in (schedule, replace(schedule, num_stages=stages)))


def _decided(schedule: Schedule, best: Schedule, tiles: Tiles) -> Schedule:
    waves = tiles.programs(best) / max(1, tiles.resident(best) * (tiles.spec.unit_count or 1))
    name = f"{best.rows} x {best.block} x {best.depth}"
    why = (
        f"{tiles.programs(best)} of them make {waves:.2g} waves; a step does "
        f"{_reuse(best):.0f} multiply-adds for each element it reads"
    )
    halves = tiles.sums(best) >= SUMS_IN_HALVES and not tiles.tiling.holds
    if halves:
        why += IN_HALVES
    choice = Choice("tile", name, why, TRANSFORM)
    return schedule.decide(
        choice, rows=best.rows, block=best.block, depth=best.depth, num_warps=best.num_warps, halves=halves
    )


def _reuse(schedule: Schedule) -> float:
    return schedule.rows * schedule.block / (schedule.rows + schedule.block)


def _candidates(schedule: Schedule, tiles: Tiles) -> Iterator[Schedule]:
    """Every tile worth considering, no larger than the results and the summed direction ask for."""
    if schedule.lanes:
        yield from _of_lanes(schedule, tiles)
        return
    _, rows, cols, depth = tiles.shape
    spec, item = tiles.spec, BYTES[tiles.dtype]
    vector = tiles.dtype == "fp32"  # parts of split factors are cut in registers
    steps = STEP_BYTES if schedule.dot == "ieee" else STEP_BYTES[1:]
    most = 64 if vector else max((MOST_SUMS[f] for f in MOST_SUMS if f in spec.features), default=64)
    least = LEAST_SIDE if item > 1 else LEAST_BYTES
    most = MOST_SUMS_OF_PARTS if schedule.dot == "bf16x6" else most
    most_rows, most_cols = (max(LEAST_SIDE, next_power_of_two(n)) for n in (rows, cols))
    for m in (s for s in SIDES if s <= most_rows):
        for n in (s for s in SIDES if s <= most_cols):
            for k in {max(least, min(b // item, next_power_of_two(depth))) for b in steps}:
                for warps in WARPS:
                    tile = replace(schedule, rows=m, block=n, depth=k, num_warps=warps)
                    if LEAST_SUMS <= tiles.sums(tile) <= most and (warps > 1 or m * n <= MOST_OF_A_WARP):
                        yield tile


def _of_lanes(schedule: Schedule, tiles: Tiles) -> Iterator[Schedule]:
    """Tiles as narrow as the narrow side; along the other one and the sum, whole vectors for every thread."""
    _, rows, cols, depth = tiles.shape
    narrow_rows = rows <= cols
    narrow = next_power_of_two(min(rows, cols))
    along = tiles.along[1 if narrow_rows else 0]
    line = LINE_BYTES // BYTES[tiles.dtype]
    for wide in (s for s in (4, 8, *SIDES[:-1]) if s <= next_power_of_two(max(rows, cols))):
        for step in (s for s in (*SIDES, 512, 1024) if s <= max(LEAST_SIDE, next_power_of_two(depth))):
            for warps in WARPS:
                m, n = (narrow, wide) if narrow_rows else (wide, narrow)
                tile = replace(schedule, rows=m, block=n, depth=step, num_warps=warps)
                held = tiles.sums(tile) / (narrow * len(tiles.products))
                if (
                    (step if along else wide) >= line
                    and 4 <= held <= 16
                    and tiles.sums(tile) <= MOST_OF_LANES
                ):
                    yield tile
