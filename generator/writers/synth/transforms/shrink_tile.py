"""Take registers off each thread: more warps for a held row, else a smaller tile."""

from __future__ import annotations

from ..convolution_tiles import ConvolutionTiles
from ..schedule import Choice, Schedule, holds_whole
from ..tiles import Tiles
from .site import Site

TRANSFORM = "shrink-tile"
LEAST_BLOCK = 128
MOST_PRODUCT_WARPS, LEAST_PRODUCT_SIDE = 8, 16
ROWS_OF_A_WARP = 16
"""What a warp of Hopper's matrix units takes: 8 warps on 64 rows of parts took 21 ms on an H200 where 4 took
6 ms (transposed conv3d of 48 channels, 64 x 128 x 16)."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "attention":
        return _attention_tile(schedule)
    if schedule.layout == "convolution":
        return _packed_tile(schedule, site)
    if schedule.layout == "tiles":
        return _product_tile(schedule, site)
    if schedule.one_tile and schedule.rows > 1:
        rows = schedule.rows // 2
        return schedule.decide(
            Choice("ROWS", str(rows), "half the rows, half the registers", TRANSFORM), rows=rows
        )
    if schedule.one_tile and schedule.num_warps < site.max_warps:
        warps = schedule.num_warps * 2
        why = "the same row over twice the warps takes half the registers a thread"
        return schedule.decide(Choice("num_warps", str(warps), why, TRANSFORM), num_warps=warps, persistent=0)
    if schedule.one_tile and schedule.layout == "columns":
        why = "the columns spill when they are held whole, so they are walked in steps"
        return schedule.decide(Choice("tile", "32 x 32", why, TRANSFORM), one_tile=False, block=32, depth=32)
    if schedule.one_tile:
        block = min(4096, site.padded_columns // 2)
        why = "the row spills when it is held whole, so it is walked in steps"
        return schedule.decide(
            Choice("row tile", str(block), why, TRANSFORM), one_tile=False, block=block, persistent=0
        )
    if schedule.layout == "columns" and schedule.depth > 1:
        return schedule.decide(
            Choice("tile", f"{schedule.depth // 2} x {schedule.block}", "half the running values", TRANSFORM),
            depth=schedule.depth // 2,
        )
    if schedule.block <= LEAST_BLOCK:
        return f"a tile of {schedule.block} is as small as it gets"
    block = schedule.block // 2
    return schedule.decide(
        Choice("BLOCK", str(block), "half the tile, half the registers", TRANSFORM), block=block
    )


def _product_tile(schedule: Schedule, site: Site) -> Schedule | str:
    """Fewer steps under way where shared memory is short; else half of the columns at a time after the sums,
    more warps for them, fewer of them."""
    tiles = Tiles(site.loops, site.spec)
    if tiles.shared_bytes(schedule) > site.spec.shared_bytes_per_block and schedule.num_stages > 1:
        stages = schedule.num_stages - 1
        why = f"{tiles.shared_bytes(schedule)} bytes of shared memory are more than a block has"
        return schedule.decide(Choice("num_stages", str(stages), why, TRANSFORM), num_stages=stages)
    whole = schedule.splits > 1 or tiles.tiling.holds or schedule.roles  # of which no halves compile
    if not schedule.halves and not whole and schedule.block > LEAST_PRODUCT_SIDE:
        why = "what follows the sums takes half the registers for half of the columns at a time"
        return schedule.decide(Choice("results", "in two halves", why, TRANSFORM), halves=True)
    if schedule.num_warps < MOST_PRODUCT_WARPS:
        warps = schedule.num_warps * 2
        why = "the same sums over twice the warps take half the registers a thread"
        return schedule.decide(Choice("num_warps", str(warps), why, TRANSFORM), num_warps=warps)
    if max(schedule.rows, schedule.block) <= LEAST_PRODUCT_SIDE:
        return f"a tile of {schedule.rows} x {schedule.block} is as small as it gets"
    if (half := _half(schedule, site)) is None:
        return f"a tile of {schedule.rows} x {schedule.block} holds no more than what is reduced in it"
    rows, block = half
    why = "half the sums, half the registers"
    choice = Choice("tile", f"{rows} x {block} x {schedule.depth}", why, TRANSFORM)
    return schedule.decide(choice, rows=rows, block=block)


def _half(schedule: Schedule, site: Site) -> tuple[int, int] | None:
    """Rows and columns of half a tile, its longer side cut where that holds what is reduced of it."""
    sides = [(schedule.rows, schedule.block // 2), (schedule.rows // 2, schedule.block)]
    sides = sides if schedule.block >= schedule.rows else sides[::-1]
    tiling = site.loops.tiling
    found = [s for s in sides if min(s) >= LEAST_PRODUCT_SIDE and (tiling is None or holds_whole(tiling, *s))]
    return found[0] if found else None


def _packed_tile(schedule: Schedule, site: Site) -> Schedule | str:
    """Fewer steps under way where shared memory is short; else more warps where each has rows, fewer sums."""
    if ConvolutionTiles(site.loops, site.spec).shared_bytes(
        schedule
    ) > site.spec.shared_bytes_per_block // 2 and (schedule.num_stages > 2):
        stages = schedule.num_stages - 1
        why = "fewer steps under way take less shared memory"
        return schedule.decide(Choice("num_stages", str(stages), why, TRANSFORM), num_stages=stages)
    more = schedule.num_warps < MOST_PRODUCT_WARPS
    half = _half(schedule, site) if max(schedule.rows, schedule.block) > LEAST_PRODUCT_SIDE else None
    shared = "wgmma" in site.spec.features and schedule.rows < 2 * schedule.num_warps * ROWS_OF_A_WARP
    if more and not (shared and half):
        warps = schedule.num_warps * 2
        why = "the same sums over twice the warps take half the registers a thread"
        return schedule.decide(Choice("num_warps", str(warps), why, TRANSFORM), num_warps=warps)
    if half is None:
        return f"a tile of {schedule.rows} x {schedule.block} is as small as it gets for what it holds"
    rows, block = half
    choice = Choice(
        "tile", f"{rows} x {block} x {schedule.depth}", "half the sums, half the registers", TRANSFORM
    )
    return schedule.decide(choice, rows=rows, block=block)


def _attention_tile(schedule: Schedule) -> Schedule | str:
    """Fewer steps under way, then fewer keys a step, then fewer queries."""
    if schedule.num_stages > 1:
        stages = schedule.num_stages - 1
        why = "fewer steps under way take less shared memory"
        return schedule.decide(Choice("num_stages", str(stages), why, TRANSFORM), num_stages=stages)
    if max(schedule.depth, schedule.rows) <= LEAST_PRODUCT_SIDE:
        return f"a tile of {schedule.rows} queries x {schedule.depth} keys is as small as it gets"
    fewer_keys = schedule.depth >= schedule.rows
    depth, rows = (schedule.depth // 2, schedule.rows) if fewer_keys else (schedule.depth, schedule.rows // 2)
    choice = Choice("tile", f"{rows} queries x {depth} keys", "fewer scores, fewer registers", TRANSFORM)
    return schedule.decide(choice, rows=rows, depth=depth)
