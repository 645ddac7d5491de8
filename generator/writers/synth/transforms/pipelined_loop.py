"""Load the next steps of a loop while this one is computed, through asynchronous copies to shared memory."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "pipelined-loop"
STAGES = 3
ENOUGH_THREADS = 512
"""Threads of a program from which its warps hide each other's loads.

On an H200, GroupNorm of 256 rows of 163840 fp16 in loops of 16 warps took 104 us with 3 stages, 93 us with 1.
"""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
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
