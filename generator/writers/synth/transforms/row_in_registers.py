"""Hold a whole row in registers: it is read once, however many reductions run over it."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "row-in-registers"
OVERHEAD = 24  # registers for addresses, predicates and scalars


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.layout != "rows" or schedule.one_tile:
        return "the row is not walked in steps"
    if schedule.splits > 1:
        return "the row is split over several programs"
    lanes = site.max_warps * site.spec.warp_size
    need = -(-site.padded_columns // lanes) * site.live_values + OVERHEAD
    have = site.registers_per_thread(site.max_warps)
    if need > have:
        return (
            f"a row of {site.columns} takes about {need} registers in each of {lanes} threads, "
            f"{site.spec.name} has {have}"
        )
    warps = site.warps_for(site.padded_columns, 2 * site.vector)
    why = (
        f"a row of {site.columns} fits the registers of {warps} warps "
        f"(about {-(-site.padded_columns // (warps * site.spec.warp_size)) * site.live_values + OVERHEAD} a thread), so it is read once"
    )
    return schedule.decide(
        Choice("row tile", str(site.padded_columns), why, TRANSFORM),
        one_tile=True, nested=False, block=site.padded_columns, num_warps=warps, num_stages=1, online_softmax=False, welford=False,
    )  # fmt: skip
