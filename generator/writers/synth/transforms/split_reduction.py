"""Cut rows into parts when there are fewer rows than the device can work on at once.

The parts get the warps that fill the device: on an H200 sums over 1024 parts took 1177 us with 4 warps each
and 941 with 8 (KernelBench's level1/100), 706 and 605 (level1/98), which estimates do not tell apart.
"""

from __future__ import annotations

from ..schedule import Choice, Schedule, next_power_of_two
from . import warp_count
from .site import Site

TRANSFORM = "split-reduction"
PROGRAMS_PER_UNIT = 4
ENOUGH = 0.75  # share of the units at work from which a second kernel does not pay
MOST_PARTS = 1024
LEAST_STEPS = 2  # a part shorter than this many steps is mostly start-up


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout == "flat":
        return "nothing is reduced"
    if schedule.splits > 1:
        return "done already"
    if schedule.layout == "columns" and schedule.one_tile:
        return "the columns are held whole"
    units = site.spec.unit_count
    if units is None:
        return f"the unit count of {site.spec.name} is not known"
    programs = site.programs(schedule)
    rounds = -(-programs // units)
    if programs >= ENOUGH * rounds * units:
        share = programs / (rounds * units)
        return f"{programs} programs already keep {share:.0%} of {units} {site.spec.unit_name}s busy"
    step = schedule.depth if schedule.layout == "columns" else (1024 if schedule.one_tile else schedule.block)
    most = site.loops.reduced[0].size.full if schedule.nested else site.columns // (LEAST_STEPS * step)
    parts = min(
        next_power_of_two(-(-PROGRAMS_PER_UNIT * units // programs)),
        MOST_PARTS,
        1 << max(0, most.bit_length() - 1),
    )
    if parts < 2:
        return f"a row of {site.columns} is too short to cut"
    busy = f"{programs} programs keep {min(programs, units)} of {units} {site.spec.unit_name}s busy"
    why = f"without it {busy}; {parts} parts a row make {programs * parts} programs"
    block = step if schedule.layout == "rows" else schedule.block
    split = schedule.decide(
        Choice("PARTS", str(parts), why, TRANSFORM),
        splits=parts,
        one_tile=False,
        rows=1,
        persistent=0,
        peel=0,
        rows_in_l2=False,
        block=block,
    )
    filled = warp_count.apply(split, site) if split.layout == "rows" else split
    return filled if isinstance(filled, Schedule) else split
