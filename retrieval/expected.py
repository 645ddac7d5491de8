"""Bounds what a technique can give: by the work that it leaves, or by the cause's own share of the time.

A unit that is busy 71 % of a kernel's time needs 0.71 of that time for the same work, so a technique that
leaves it that work gains at most 1 / 0.71. Of a kernel that is rewritten only the bytes of DRAM and the
products of the matrix pipe count as work that stays: caches, issue slots and vector pipes are busy by how the
kernel is written, and measured pairs of kernels gained more than those would allow. What is not bounded by
this, or only by more than ten times, has no figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Facts = Mapping[str, float]

UNITS = {
    "dram_pct": "DRAM",
    "l2_pct": "L2",
    "l1_pct": "L1 and shared memory",
    "pipe_tensor": "the matrix pipe",
    "pipe_fma": "the fp32 pipe",
    "pipe_alu": "the integer pipe",
    "pipe_xu": "the special-function pipe",
    "pipe_fp64": "the fp64 pipe",
    "sm_pct": "the busiest compute unit",
    "mem_pct": "the busiest memory unit",
}
"""Facts that are a share of the kernel's time in which a unit is busy, in per cent."""

_STAYS = ("dram_pct", "pipe_tensor")
"""Work that a kernel keeps when it is rewritten, but for what its class's techniques cut."""

_CUT = {
    "dram_bandwidth": ("dram_pct",),
    "spills": ("dram_pct",),
    "tensor_pipe": ("pipe_tensor",),
}
"""Class -> units whose work its techniques cut, by how much cannot be told."""

_UNBOUNDED = ("launch_overhead", "unclassified")
"""What these cost lies outside the kernel, or is not known."""

MOST = 10.0
"""A larger bound says nothing that a reader could use."""


@dataclass(frozen=True)
class Bound:
    """`at_most` is time before over time after, from 1 to MOST; `how` says what it was computed from."""

    at_most: float
    how: str


def bound(cls: str, facts: Facts, *, same_work: bool = False, same_bytes: bool = False) -> Bound | None:
    """The most that removing `cls` can give, None where the facts do not bound it.

    `same_work`: for a technique that leaves every unit what it has to do; `same_bytes`: that leaves DRAM its.
    """
    if cls in _UNBOUNDED:
        return None
    bounds = [
        found for found in (_by_work(cls, facts, same_work, same_bytes), _by_cause(cls, facts)) if found
    ]
    found = min(bounds, key=lambda one: one.at_most, default=None) or _by_roofline(facts)
    return found if found and found.at_most <= MOST else None


def _by_work(cls: str, facts: Facts, same_work: bool, same_bytes: bool) -> Bound | None:
    """Over the share of the time that the busiest unit needs for the work that stays."""
    left: dict[str, float] = {}
    same_work = same_work and cls != "spills"  # which are work that none of the techniques leaves
    for unit in UNITS if same_work else _STAYS:
        cut = 0.0 if same_work or (same_bytes and unit == "dram_pct") else _cut(cls, unit, facts)
        if facts.get(unit, 0.0) > 0 and cut < 1:
            left[unit] = facts[unit] * (1 - cut)
    if not left:
        return None
    busiest = max(left, key=lambda unit: left[unit])
    how = f"{UNITS[busiest]} needs {left[busiest]:.1f} % of the time for the work that stays"
    if left[busiest] < facts[busiest]:
        how += f", {1 - left[busiest] / facts[busiest]:.0%} less than it does"
    return Bound(max(1.0, 100 / left[busiest]), how)


def _cut(cls: str, unit: str, facts: Facts) -> float:
    """The share of a unit's work that goes with the class, 0 to 1; all of it where that was not counted."""
    if unit in _CUT.get(cls, ()):
        return 1.0
    if unit == "dram_pct" and cls == "uncoalesced":
        if "excess_sectors_pct" in facts:
            return facts["excess_sectors_pct"] / 100
        return 1 - facts["ld_bytes_per_sector"] / 32 if "ld_bytes_per_sector" in facts else 1.0
    if unit == "dram_pct" and cls == "membar_atomics":
        return facts.get("atomic_sectors_pct", 100.0) / 100
    return 0.0


def _by_cause(cls: str, facts: Facts) -> Bound | None:
    """By the share of the time that the cause itself takes."""
    if cls == "tail_effect" and 0 < facts.get("tail_bound_pct", 0.0) < 100:
        share = facts["tail_bound_pct"]
        return Bound(100 / (100 - share), f"the partial wave takes at most {share:.0f} % of the time")
    if cls == "small_grid" and 0 < facts.get("idle_units_pct", 0.0) < 100:
        share = facts["idle_units_pct"]
        return Bound(100 / (100 - share), f"{share:.0f} % of the units have no block")
    if cls == "imbalance" and 0 < facts.get("imbalance_pct", 0.0) < 100:
        share = facts["imbalance_pct"]
        return Bound(100 / (100 - share), f"the average unit waits {share:.0f} % of the busiest one's time")
    if cls == "near_roofline" and facts.get("roofline_pct", 0.0) > 0:
        share = facts["roofline_pct"]
        return Bound(max(1.0, 100 / share), f"it runs at {share:.0f} % of what the device's peaks allow")
    return None


def _by_roofline(facts: Facts) -> Bound | None:
    """Over the least time that the work takes at the device's peaks; of eager, by the bytes it moves."""
    least = facts.get("roofline_us")
    if not least:
        return None
    if "time_us" in facts:
        at_most = max(1.0, facts["time_us"] / least)
        return Bound(at_most, f"it takes {facts['time_us']:.1f} us, at the device's peaks {least:.1f} us")
    if "moved_us" in facts and facts["moved_us"] > least:
        times = facts["moved_us"] / least
        how = f"its bytes take {facts['moved_us']:.1f} us at peak bandwidth, the least work {least:.1f} us"
        return Bound(times, f"{how} (arithmetic, nothing timed)")
    return None
