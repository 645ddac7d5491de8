"""Load the next steps of a loop while this one is computed, through asynchronous copies to shared memory."""

from __future__ import annotations

from dataclasses import replace

from ..schedule import Choice, Schedule
from ..tiles import Tiles
from .site import Site

TRANSFORM = "pipelined-loop"
STAGES = 3
MOST_STAGES = 5  # of a matrix product
ENOUGH_THREADS = 512
"""Threads of a program from which its warps hide each other's loads.

On an H200, GroupNorm of 256 rows of 163840 fp16 in loops of 16 warps took 104 us with 3 stages, 93 us with 1.
"""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if site.loops.tiling is not None:
        return _tiles(schedule, Tiles(site.loops, site.spec))
    if schedule.layout == "flat" or schedule.one_tile:
        return "there is no loop"
    if "cp_async" not in site.spec.features:
        return f"{site.spec.name} has no asynchronous copy that Triton pipelines such loops with"
    if schedule.num_stages > 1:
        return "done already"
    if schedule.num_warps * site.spec.warp_size >= ENOUGH_THREADS:
        return f"{schedule.num_warps} warps of a program hide each other's loads without stages"
    tile = schedule.block * schedule.rows * (schedule.depth if schedule.layout == "columns" else 1)
    need = tile * STAGES * sum(4 if n.dtype == "fp32" else site.element_bytes for n in site.streams)
    if need > site.spec.shared_bytes_per_block:
        have = site.spec.shared_bytes_per_block
        return f"{STAGES} stages take {need} bytes of shared memory, a block has {have}"
    why = f"{STAGES} stages of {need // STAGES} bytes are in flight while one is computed"
    return schedule.decide(Choice("num_stages", str(STAGES), why, TRANSFORM), num_stages=STAGES)


def _tiles(schedule: Schedule, tiles: Tiles) -> Schedule | str:
    """As many steps of a matrix product under way as pay; on AMD registers hold the one that is next."""
    if schedule.num_stages > 1:
        return "done already"
    if schedule.lanes:
        return "lanes have all loads of a step under way at once"
    if tiles.spec.unit_count is None or tiles.spec.clock_mhz is None:
        return f"the unit count or the clock of {tiles.spec.name} is not known"
    most = MOST_STAGES if "cp_async" in tiles.spec.features else 2
    choices = [replace(schedule, num_stages=stages) for stages in range(2, most + 1)]
    best = min(choices, key=tiles.estimate_us)
    if tiles.estimate_us(best) >= tiles.estimate_us(schedule):
        return "more steps under way take the shared memory that neighbours need"
    why = f"{best.num_stages} steps of {tiles.step_bytes(best)} bytes are under way while one is multiplied"
    choice = Choice("num_stages", str(best.num_stages), why, TRANSFORM)
    return schedule.decide(choice, num_stages=best.num_stages)
