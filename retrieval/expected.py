"""Bounds what a technique can give: by what is left for the other units to do, or by the cause's own share.

A unit that is busy 71 % of a kernel's time needs 0.71 of that time however the rest is arranged. So a
technique that leaves a unit its work gains at most 1 / 0.71, and one that takes work off a unit is bounded by
the next unit. What the facts do not bound has no figure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Facts = Mapping[str, float]

UNITS = {
    "dram_pct": "DRAM",
    "l2_pct": "L2",
    "l1_pct": "L1 and shared memory",
    "pipe_tensor": "the tensor pipe",
    "pipe_fma": "the fp32 pipe",
    "pipe_alu": "the integer pipe",
    "pipe_xu": "the special-function pipe",
    "pipe_fp64": "the fp64 pipe",
    "sm_pct": "the busiest compute unit",
    "mem_pct": "the busiest memory unit",
}
"""Facts that are a share of the kernel's time in which a unit is busy, in per cent."""

_MEMORY = ("dram_pct", "l2_pct", "l1_pct", "mem_pct")
_COMPUTE = ("pipe_tensor", "pipe_fma", "pipe_alu", "pipe_xu", "pipe_fp64", "sm_pct")
_PIPES = {name: (name, "sm_pct") for name in _COMPUTE}
_RELIEVED: dict[str, tuple[str, ...]] = {
    "dram_bandwidth": ("dram_pct", "mem_pct"),
    "l2_bandwidth": ("l2_pct", "mem_pct"),
    "l1_shared_bandwidth": ("l1_pct", "mem_pct"),
    "tensor_pipe": _PIPES["pipe_tensor"],
    "fp32_pipe": _PIPES["pipe_fma"],
    "alu_pipe": _PIPES["pipe_alu"],
    "sfu_pipe": _PIPES["pipe_xu"],
    "fp64_pipe": _PIPES["pipe_fp64"],
    "instruction_issue": ("sm_pct",),
    "tensor_unused": (*_PIPES["pipe_fma"], "pipe_fp64"),
    "spills": (*_MEMORY, "sm_pct"),
}
"""Class -> units whose work its techniques cut, by how much cannot be told: the other units bound them."""

_UNBOUNDED = ("launch_overhead", "unclassified")
"""What these cost lies outside the kernel, or is not known."""


@dataclass(frozen=True)
class Bound:
    """`at_most` is time before over time after, never below 1; `how` says what it was computed from."""

    at_most: float
    how: str


def bound(cls: str, facts: Facts, *, same_work: bool = False) -> Bound | None:
    """The most that removing `cls` can give, None where the facts do not bound it.

    `same_work`: for a technique that leaves every unit what it has to do.
    """
    if cls in _UNBOUNDED:
        return None
    bounds = [found for found in (_by_units(cls, facts, same_work), _by_cause(cls, facts)) if found]
    return min(bounds, key=lambda one: one.at_most, default=None) or _by_roofline(facts)


def _by_units(cls: str, facts: Facts, same_work: bool) -> Bound | None:
    """Over the unit that is busiest when the class is gone."""
    relief = (lambda unit: 0.0) if same_work else _relief(cls, facts)
    left = {unit: facts[unit] * (1 - relief(unit)) for unit in UNITS if unit in facts}
    whole = [unit for unit in left if relief(unit) < 1]
    if not whole:
        return None
    busiest = max(whole, key=lambda unit: left[unit])
    if left[busiest] <= 0:
        return None
    freed = [UNITS[unit] for unit in left if relief(unit) == 1 and unit not in ("sm_pct", "mem_pct")]
    how = f"{UNITS[busiest]} needs {left[busiest]:.1f} % of the time"
    if freed:
        how = f"with no work left for {', '.join(freed)}, {how}"
    elif relief(busiest):
        how += f" without the {relief(busiest):.0%} of its work that this adds"
    else:
        how += " for its work as it is"
    return Bound(max(1.0, 100 / left[busiest]), how)


def _relief(cls: str, facts: Facts) -> Callable[[str], float]:
    """Unit -> the share of its work that goes when the class does, 0 to 1."""
    if cls in _RELIEVED:
        relieved = _RELIEVED[cls]
        return lambda unit: 1.0 if unit in relieved else 0.0
    share, units = _share_of_cause(cls, facts)
    return lambda unit: share if unit in units else 0.0


def _share_of_cause(cls: str, facts: Facts) -> tuple[float, tuple[str, ...]]:
    """How much of the work of which units is due to the class; all of it where that was not counted."""
    if cls == "uncoalesced":
        if "excess_sectors_pct" in facts:
            return facts["excess_sectors_pct"] / 100, _MEMORY
        return (1 - facts["ld_bytes_per_sector"] / 32 if "ld_bytes_per_sector" in facts else 1.0), _MEMORY
    if cls == "bank_conflict":
        return min(1.0, facts.get("conflicts_per_wavefront", 1.0)), ("l1_pct", "mem_pct")
    if cls == "membar_atomics":
        return facts.get("atomic_sectors_pct", 100.0) / 100, _MEMORY
    if cls == "branch_divergence":
        return (1 - facts["threads_per_inst"] / 32 if "threads_per_inst" in facts else 1.0), _COMPUTE
    return 0.0, ()


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
