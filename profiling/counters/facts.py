"""Turns the readings of one launch into named numbers, the vocabulary of rules.yaml, for both vendors.

What was not counted is left out: the rules then answer "undecided". No value is ever made up. A counter that
says nothing of a kernel is left out too: one that copies with TMA or multiplies with wgmma or tcgen05 hardly
uses the load/store unit, so what was counted there describes its prologue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...hardware_specs.spec import DeviceSpec
from ..calibration import USUAL_SHARE
from .access_facts import access_facts
from .launch_facts import launch_facts, occupancy_facts
from .origin import origin
from .record import Launch

Found = Iterator[tuple[str, float]]

_AS_READ = (
    "sm_pct", "mem_pct", "dram_pct", "l2_pct", "l1_pct", "l2_hit", "l1_hit", "lds_pct", "ta_pct",
    "ld_bytes_per_lane", "pipe_tensor", "pipe_gmma", "pipe_fma", "pipe_alu", "pipe_xu", "pipe_fp64",
    "issue_active", "threads_per_inst", "occupancy_achieved", "occupancy_theoretical",
    "stall_long_scoreboard", "stall_short_scoreboard", "stall_mio_throttle", "stall_lg_throttle",
    "stall_barrier", "stall_membar", "stall_gmma", "stall_no_instruction", "stall_wait",
    "wait_pct", "wait_issue_pct", "wait_lds_pct",
    "vmem_latency", "atomic_latency", "icache_miss_pct", "full_waves_pct", "full_regs_pct", "full_lds_pct",
    "full_barriers_pct", "full_groups_pct",
)  # fmt: skip
_LSU = (
    "ld_bytes_per_sector", "st_bytes_per_sector", "excess_sectors_pct", "waste_to_l2",
    "conflicts_per_wavefront",
)  # fmt: skip
_VECTOR_PIPES = ("pipe_fma", "pipe_alu", "pipe_xu", "pipe_fp64")
_SOME = 0.01  # of the instructions
_MAINLY = 0.4  # of the vector unit's busy time
_PRODUCTS = frozenset(("matmul", "conv", "attention"))
_VECTOR_PRODUCT = re.compile(r"gemv|gevm", re.IGNORECASE)
_BULK_NAME = re.compile(
    r"wgmma|gmma|tcgen05|utc[hqo]mma|warpspecialized|cutlass3x_sm(?:90|100)|sm(?:90|100)_xmma|_tma_"
)
_TENSOR_NAME = re.compile(r"tensorop|[hi]mma|16816|1688|884|mfma|_MI\d+x\d+|xmma|nvjet", re.IGNORECASE)
_FULL_WARP = 32
_TENSOR_USED_PCT = 10.0  # integer and half-precision work was seen to read up to 6.5 % on an H200
_WAITS_FOR_PRODUCTS = 0.05


def counter_facts(launch: Launch, spec: DeviceSpec | None) -> dict[str, float]:
    """All facts of a launch; a device without a sheet gives none of those that need one."""
    found = dict(_as_read(launch))
    for part in (launch_facts, occupancy_facts, _speeds_of_light, access_facts, _work, _amd_pipes):
        found |= dict(part(launch, spec, found))
    found |= dict(_kind(launch, found))
    if found["bulk_pipeline"]:
        found = {name: value for name, value in found.items() if name not in _LSU}
    return found


def _as_read(launch: Launch) -> Found:
    for key in _AS_READ:
        if (value := launch.value(key)) is not None:
            yield key, value
    if (value := launch.value("stall_math_pipe_throttle")) is not None:
        yield "stall_math_throttle", value
    barrier, memory = launch.value("stall_barrier"), launch.value("stall_long_scoreboard")
    if barrier is not None and memory is not None:
        yield "stall_feed", barrier + memory


def _speeds_of_light(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """Shares of peak, worked out where the tool gives none of its own and all their parts are known."""
    rate, dram = launch.value("dram_bytes_s"), found.get("dram_pct")
    if rate is not None and spec:
        share = 100 * rate / (spec.dram_gb_s * 1e9)
        if dram is None and share <= 100:  # beyond, a cache behind the L2 served it: nobody knows DRAM's part
            dram = share
            yield "dram_pct", dram
        # No AMD copy comes near the label; ncu's share of peak is at the clock that the memory ran at.
        if spec.vendor == "amd" and spec.dram_copy_gb_s:
            yield "copy_pct", 100 * rate / (spec.dram_copy_gb_s * 1e9)
        elif spec.vendor == "nvidia" and dram is not None and _writes_as_copies(launch):
            yield "copy_pct", dram / USUAL_SHARE["dram_copy_gb_s"]
    l2, l1 = found.get("l2_pct"), found.get("l1_pct")
    if "mem_pct" not in found and dram is not None and l2 is not None and l1 is not None:
        yield "mem_pct", max(dram, l2, l1)


def _writes_as_copies(launch: Launch) -> bool:
    """Whether a third of its DRAM bytes are written: a bus that turns around for them reaches less than one
    that is only read."""
    read, written = launch.value("dram_read"), launch.value("dram_write")
    return read is not None and written is not None and 0 < read <= 2 * written


def _work(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """Instructions: spills among them, lanes they kept busy, and the balance of units."""
    local_loads, local_stores = launch.value("local_ld"), launch.value("local_st")
    executed, loads = launch.value("inst"), launch.value("ld_requests")
    local = launch.value("spill_requests")
    if local_loads is not None and local_stores is not None:
        local = local_loads + local_stores
    if local is not None and executed:
        yield "local_inst_pct", 100 * local / executed
    if loads is not None and local_loads is not None:
        yield "local_traffic_pct", 100 * local_loads / (loads + local_loads) if local_loads else 0.0
    if (lanes := found.get("threads_per_inst")) is not None:
        yield "divergence_pct", 100 * (1 - lanes / _FULL_WARP)
    mean, most, elapsed = (launch.value(key) for key in ("sm_active", "sm_active_max", "sm_elapsed"))
    if mean is not None and most is not None and elapsed:
        yield "imbalance_pct", 100 * max(0.0, most - mean) / elapsed
    atomics = launch.value("shared_atomics")
    if atomics is not None and executed and atomics >= _SOME * executed:
        yield "shared_atomics", atomics
    if (copies := launch.value("pipe_tma")) is not None:
        yield "tma_instructions", copies


def _amd_pipes(launch: Launch, spec: DeviceSpec | None, found: Mapping[str, float]) -> Found:
    """One vector unit of AMD does fp32, fp64, integer and transcendental work, beside moves that no counter
    names: the kind that takes most of its cycles is given the whole unit, if it takes enough of them."""
    busy = launch.value("valu_pct")
    shares = {pipe: found[pipe] for pipe in _VECTOR_PIPES if pipe in found}
    if busy is not None and len(shares) == len(_VECTOR_PIPES):
        most = max(shares, key=shares.__getitem__)
        if shares[most] >= _MAINLY * busy:
            yield most, max(busy, shares[most])


def _kind(launch: Launch, found: Mapping[str, float]) -> Found:
    """Whether the kernel multiplies matrices, and whether in a pipeline that asks for few warps."""
    family = origin(launch.kernel).family
    tensor = found.get("pipe_tensor")
    bulk = bool(
        found.get("tma_instructions")
        or launch.value("pipe_tc")
        or (found.get("stall_gmma") or 0.0) >= _WAITS_FOR_PRODUCTS
        or _BULK_NAME.search(launch.kernel)
    )
    if tensor is not None and tensor >= _TENSOR_USED_PCT:
        yield "matmul_like", 1.0
    elif family is not None:
        yield "matmul_like", float(family in _PRODUCTS and not _VECTOR_PRODUCT.search(launch.kernel))
    yield "bulk_pipeline", float(bulk)
    named = bool(_TENSOR_NAME.search(launch.kernel)) and family in _PRODUCTS
    yield "tensor_pipeline", float(bulk or named or (tensor or 0.0) >= _TENSOR_USED_PCT)
