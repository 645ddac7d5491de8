"""Give each thread two 128-bit accesses of its tile, and a looped row the warps that fill the device."""

from __future__ import annotations

from ..schedule import Choice, Schedule, next_power_of_two
from .site import Site

TRANSFORM = "warp-count"
LEAST_THREADS = 128  # of a program that walks a row


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "rows" and not schedule.one_tile:
        return _walked(schedule, site)
    if schedule.layout == "columns" and schedule.one_tile:
        return "warps that share columns wait for each other, so that more of them load no sooner"
    tile = schedule.block * schedule.rows * (schedule.depth if schedule.layout == "columns" else 1)
    warps = site.warps_for(tile, 2 * site.vector)
    if warps == schedule.num_warps:
        return f"{warps} warps already give each thread {tile // (warps * site.spec.warp_size)} elements"
    why = (
        f"a tile of {tile} over {warps} x {site.spec.warp_size} threads is "
        f"{max(1, tile // (warps * site.spec.warp_size))} elements a thread, two 128-bit accesses or fewer"
    )
    return schedule.decide(Choice("num_warps", str(warps), why, TRANSFORM), num_warps=warps)


def _walked(schedule: Schedule, site: Site) -> Schedule | str:
    """The fewer the rows, the more warps walk each; the step over the row grows with them.

    No more warps than leave each thread registers for two accesses: on an H200, mean and variance of 256 rows
    of 163840 fp16 and their use took 74 us with 16 warps and 104 us with 32, which have one access each.
    """
    units = site.spec.unit_count
    if units is None:
        return f"the unit count of {site.spec.name} is not known"
    programs = site.programs(schedule) * schedule.splits
    share = max(1, site.spec.max_warps_per_unit * units // programs)
    least = max(1, LEAST_THREADS // site.spec.warp_size)
    most = min(site.roomy_warps, site.warps_for(next_power_of_two(site.walked(schedule)), site.vector))
    warps = min(max(1 << (share.bit_length() - 1), least), max(most, 1))
    if warps == schedule.num_warps:
        return (
            f"{programs} programs of {warps} warps are as many as {units} {site.spec.unit_name}s run at once"
        )
    block = site.step(schedule, warps)
    why = (
        f"{units} {site.spec.unit_name}s run {site.spec.max_warps_per_unit} warps each, {share} for each of "
        f"{programs} programs; {block} elements a step keep their accesses 128 bit wide"
    )
    choice = Choice("num_warps", str(warps), why, TRANSFORM)
    return schedule.decide(choice, instead_of="BLOCK", num_warps=warps, block=block)
