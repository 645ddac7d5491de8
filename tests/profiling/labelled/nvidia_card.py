"""Works out what Nsight Compute would count of a kernel from a description of what it does on an NVIDIA card.

A description gives independent physical quantities (time, bytes, how busy each pipe is, where warps wait);
whatever follows from them and the card (cycles, shares of peak, instructions, occupancy limits, waves, stall
ratios) is worked out here, so that the numbers of one profile agree with each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbgen.hardware_specs.device import DeviceSpec
from kbgen.profiling.occupancy import occupancy

Counted = dict[str, float]

_SPREAD = ("wait", "not_selected", "branch_resolving", "short_scoreboard", "dispatch_stall", "drain")
_DEFAULTS: dict[str, Any] = {
    "regs": 32, "smem": 0, "l1": 20, "l1_hit": 0, "l2_hit": 50, "ld_bytes": 32, "st_bytes": 32,
    "lane_bytes": 4,
    "loads": 0.1, "local": 0.0, "issue": 0.2, "threads": 32, "active": 0.97, "busiest": 1.01,
    "conflicts": 0.0,
    "shared": 0.02, "atomics": 0.0, "fabric": None, "sysmem": 0.0, "tma": None, "clock": 0.9,
    "barriers": 1, "fp32": 0.1,
    "broadcast": False,
}  # fmt: skip
_PIPES = ("alu", "fma", "fp64", "xu", "lsu", "tensor")


def counted(told: Mapping[str, Any], spec: DeviceSpec) -> Counted:
    """Canonical readings of one launch; `told` as in the scenario files."""
    of = {**_DEFAULTS, **told}
    blocks, units = of["grid"], spec.unit_count or 0
    elapsed = of["us"] * 1e3 * of["clock"] * (spec.clock_mhz or 0) / 1e3
    active = elapsed * of["active"]
    read, written = of["read_mb"] * 1e6, of["write_mb"] * 1e6
    found = _launch(of, spec, blocks, units)
    found |= {
        "duration": of["us"] * 1e3,
        "sm_clock": of["clock"] * (spec.clock_mhz or 0) * 1e6,
        "sm_elapsed": elapsed,
        "sm_active": active,
        "sm_active_max": min(elapsed, active * of["busiest"]),
        "dram_read": read,
        "dram_write": written,
        "dram_bytes_s": (read + written) / of["us"] * 1e6,
        "dram_pct": 100 * (read + written) / of["us"] / 1e3 / spec.dram_gb_s,
        "l2_hit": of["l2_hit"],
        "l1_hit": of["l1_hit"],
        "l1_pct": of["l1"],
    }
    found["l2_pct"] = of.get("l2", min(95.0, 0.6 * found["dram_pct"]))
    pipes = {f"pipe_{name}": float(of.get(name, 1.0 if name in ("alu", "lsu") else 0.0)) for name in _PIPES}
    issue_elapsed = 100 * of["issue"] * of["active"]
    found |= pipes
    found["sm_pct"] = max(*pipes.values(), issue_elapsed)
    found["mem_pct"] = max(found["dram_pct"], found["l2_pct"], found["l1_pct"] * of["active"])
    return found | _work(of, spec, units, active, read + written)


def _launch(of: Mapping[str, Any], spec: DeviceSpec, blocks: int, units: int) -> Counted:
    held = occupancy(spec, of["block"], of["regs"], of["smem"], of["barriers"])
    limits = {
        "limit_regs": "registers",
        "limit_smem": "shared",
        "limit_warps": "warps",
        "limit_blocks": "blocks",
    }
    found = {key: float(held.limits[name]) for key, name in limits.items()}  # type: ignore[index]
    if "barriers" in held.limits:
        found["limit_barriers"] = float(held.limits["barriers"])
    return found | {
        "grid": blocks,
        "block": of["block"],
        "units": units,
        "regs": of["regs"],
        "smem_block": of["smem"],
        "waves": blocks / (units * held.blocks_per_unit),
        "occupancy_theoretical": 100 * held.fraction,
        "occupancy_achieved": of.get("occ", 92 * held.fraction),
    }


def _work(of: Mapping[str, Any], spec: DeviceSpec, units: int, active: float, moved: float) -> Counted:
    held = occupancy(spec, of["block"], of["regs"], of["smem"], of["barriers"])
    inst = of["issue"] * spec.sub_partitions * units * active
    warps = of.get("occ", 92 * held.fraction) / 100 * spec.max_warps_per_unit / spec.sub_partitions
    requests = of["loads"] * inst
    sectors = requests * (1 if of["broadcast"] else 32 * of["lane_bytes"] / of["ld_bytes"])
    stored = sectors * of["ld_bytes"] / of["st_bytes"] / 2
    ideal = sectors if of["broadcast"] else sectors * of["ld_bytes"] / 32
    wavefronts = of["shared"] * inst
    l2 = of.get("l2_mb", moved / 1e6 / max(0.05, 1 - of["l2_hit"] / 100)) * 1e6 / 32
    found = {
        "inst": inst,
        "issue_active": of["issue"],
        "warps_per_scheduler": warps,
        "cycles_per_issue": warps / of["issue"],
        "threads_per_inst": of["threads"],
        "ld_requests": requests,
        "ld_sectors": sectors,
        "ld_bytes_per_sector": of["ld_bytes"],
        "st_bytes_per_sector": of["st_bytes"],
        "sectors_global": sectors + stored,
        "sectors_global_ideal": ideal + stored * of["st_bytes"] / 32,
        "shared_wavefronts": wavefronts,
        "shared_conflicts": of["conflicts"] * wavefronts,
        "local_ld": of["local"] * inst / 2,
        "local_st": of["local"] * inst / 2,
        "l2_sectors": l2,
        "l2_atomics": of["atomics"] * l2,
        "l2_reductions": 0.0,
        "l2_sectors_sysmem": of["sysmem"] * l2,
        "ffma": of["fp32"] * inst * 32 / 2,
        "fadd": of["fp32"] * inst * 32 / 4,
        "fmul": of["fp32"] * inst * 32 / 4,
    }
    for key, value in (("l2_sectors_fabric", of["fabric"]), ("pipe_tma", of["tma"])):
        if value is not None:
            found[key] = value * l2 if key.startswith("l2") else value
    return found | _stalls(of, warps)


def _stalls(of: Mapping[str, Any], warps: float) -> Counted:
    """Shares of warp time; what is not told is spread evenly over reasons that are in every kernel."""
    told = {name: float(share) for name, share in of.get("stalls", {}).items()}
    selected = of["issue"] / warps
    rest = max(0.0, 1 - selected - sum(told.values()))
    others = [name for name in _SPREAD if name not in told]
    shares = {name: rest / len(others) for name in others} | told | {"selected": selected}
    return {f"stall_{name}": share for name, share in shares.items()}
