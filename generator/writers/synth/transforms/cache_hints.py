"""Tell the cache what is streamed once and what every row needs again."""

from __future__ import annotations

from ..schedule import Choice, Schedule
from .site import Site

TRANSFORM = "cache-hints"


def apply(schedule: Schedule, site: Site) -> Schedule | str:
    if schedule.cache_hints:
        return "done already"
    streamed = sum(s.node.meta["val"].numel() for s in site.loops.region.stores) * site.element_bytes
    if streamed < site.spec.l2_bytes:
        return (
            f"{streamed / 2**20:.0f} MiB of results fit the L2 of {site.spec.l2_bytes / 2**20:.0f} MiB anyway"
        )
    why = (
        f"{streamed / 2**20:.0f} MiB pass through an L2 of {site.spec.l2_bytes / 2**20:.0f} MiB once; "
        "what rows share should stay"
    )
    return schedule.decide(
        Choice("eviction_policy", "evict_first / evict_last", why, TRANSFORM), cache_hints=True
    )
