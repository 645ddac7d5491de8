"""Hold a whole row in registers: it is read once, however many reductions run over it."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "row-in-registers"
OVERHEAD = 24  # registers for addresses, predicates and scalars
BLOCKS = (128, 64, 32)  # columns side by side, the widest first
PER_THREAD = 32  # elements of a column tile that one thread may hold
MOST_WARPS = 4
"""Of a program that holds columns, where 32 of them need no more: its warps wait for each other at a
reduction, and only other programs on the unit load meanwhile. With 64 x 128 elements in 32 warps, two
programs a unit, an H200 reached 0.35 of its bandwidth."""


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "flat" or schedule.one_tile:
        return "the row is not walked in steps"
    if schedule.splits > 1:
        return "the row is split over several programs"
    if schedule.layout == "columns":
        return _columns(schedule, site)
    lanes = site.max_warps * site.spec.warp_size
    need = -(-site.padded_columns // lanes) * site.live_values + OVERHEAD
    have = site.registers_per_thread(site.max_warps)
    if need > have:
        return (
            f"a row of {site.columns} takes about {need} registers in each of {lanes} threads, "
            f"{site.spec.name} has {have}"
        )
    warps = site.warps_for(site.padded_columns, 2 * site.vector)
    per_thread = -(-site.padded_columns // (warps * site.spec.warp_size))
    why = (
        f"a row of {site.columns} fits the registers of {warps} warps "
        f"(about {per_thread * site.live_values + OVERHEAD} a thread), so it is read once"
    )
    return schedule.decide(
        Choice("row tile", str(site.padded_columns), why, TRANSFORM),
        one_tile=True, nested=False, block=site.padded_columns, num_warps=warps, num_stages=1,
        online_softmax=False, shifted_moments=False, peel=0, rows_in_l2=False,
    )  # fmt: skip


def _columns(schedule: Schedule, site: Site) -> Schedule | str:
    """The same for columns: the tile is as deep as the column is long, and as wide as registers allow."""
    depth = site.padded_columns
    need = 0
    for block in BLOCKS:
        warps = site.warps_for(depth * block, PER_THREAD)
        if warps > MOST_WARPS and block > BLOCKS[-1]:
            continue
        per_thread = -(-depth * block // (warps * site.spec.warp_size))
        need, have = per_thread * site.live_values + OVERHEAD, site.registers_per_thread(warps)
        if need <= have and site.loops.kept[-1].size.full >= block:
            why = (
                f"columns of {site.columns} fit the registers of {warps} warps, {block} at a time, "
                "and are read once"
            )
            return schedule.decide(
                Choice("column tile", f"{depth} x {block}", why, TRANSFORM),
                one_tile=True, block=block, depth=depth, num_warps=warps, num_stages=1,
                online_softmax=False, shifted_moments=False,
            )  # fmt: skip
    return f"a column of {site.columns} takes about {need} registers a thread even 32 at a time"
