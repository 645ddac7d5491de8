"""How many products may be added one after another before rounding shows in an fp32 result."""

from __future__ import annotations

from ..expr import Contract
from ..extent import product
from ..loops import Loops
from ..schedule import Schedule

CHAIN = 1024
"""Additions one after another into one fp32 sum. The error grows with the root of their number: simulated
over 500 sums of uniform and of normal numbers, 0.4e-6 and 0.6e-6 after 1024 (relative L2), 1.6e-6 and 2.4e-6
after 16384, where the fp32 class allows 1e-6."""

MOST = 4096
"""Additions that need no cut: what an fp32 product of vendors' libraries makes of a row of 4096 as well
(0.8e-6 on an H200)."""


def chained(schedule: Schedule) -> int:
    """Elements of the summed direction behind one addition to a sum: vector units take each by itself, units
    of parts add a step's worth of products to it, and of lanes each adds one of a step."""
    return 1 if schedule.dot == "ieee" and not schedule.lanes else schedule.depth


def longest_chain(loops: Loops, schedule: Schedule) -> int | None:
    """Elements after which a sum of fp32 products goes to another one; None where that is not needed."""
    if loops.tiling is None or not _of_singles(loops):
        return None
    depth = product((axis.size for axis in loops.tiling.depth), loops.one).full
    most = max(MOST, CHAIN * chained(schedule))
    return CHAIN * chained(schedule) if depth > most * schedule.splits else None


def _of_singles(loops: Loops) -> bool:
    builder = loops.region.builder
    nodes = (builder.nodes[n] for n in builder.walk([s.value for s in loops.region.stores]))
    return any(
        isinstance(node, Contract) and "fp32" in (builder.dtype(node.left), builder.dtype(node.right))
        for node in nodes
    )
