"""One kernel dispatch as a ROCm tool wrote it, and what it is as a Launch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from ...hardware_specs.device import DeviceSpec
from ...hardware_specs.sheet_amd import AmdSheet
from ...hardware_specs.spec import UnknownDevice, find_spec
from ..occupancy import occupancy
from .amd import chip_of, derive
from .kernel_name import function_name
from .record import Launch, Reading

Size = tuple[int, int, int]

_LDS_USE = ("SQ_INSTS_LDS", "SQ_LDS_IDX_ACTIVE", "SQC_LDS_IDX_ACTIVE")
TRACE_ALONE = "a kernel trace has no counters: times and sizes alone"

# What each size of a dispatch is called in rocprofv3's tables.
ROCPROFV3_COLUMNS = {
    "duration": "End_Timestamp, Start_Timestamp",
    "grid": "Grid_Size, Workgroup_Size",
    "block": "Workgroup_Size",
    "regs": "VGPR_Count, Accum_VGPR_Count",
    "smem_block": "LDS_Block_Size",
    "scratch": "Scratch_Size",
}


@dataclass(frozen=True)
class Agent:
    """The GPU as the profile describes it; `constants` are the file's own figures (amd.yaml's names)."""

    name: str | None = None
    arch: str | None = None
    constants: Mapping[str, float] = field(default_factory=dict)
    spec: DeviceSpec | None = None


@dataclass(frozen=True)
class Dispatch:
    """One dispatch with the tool's numbers, None where it gave none. The grid is in WORK-ITEMS.

    `static_lds` marks tables that print the LDS of the code object alone, without what was asked for at the
    launch (as Triton asks for all of it).
    """

    order: int
    kernel: str
    counters: Mapping[str, float]
    grid_items: Size | None = None
    block: Size | None = None
    duration_ns: float | None = None
    vgprs: int | None = None
    accum_vgprs: int | None = None
    lds_bytes: int | None = None
    scratch_bytes: int | None = None
    static_lds: bool = False
    flags: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=lambda: ROCPROFV3_COLUMNS)


def agent(
    name: str | None, arch: str | None, stated: Mapping[str, float], spec: DeviceSpec | None = None
) -> Agent:
    """The GPU by what the file says; a sheet, given or found by exact name, fills what the file leaves out.

    An arch alone names no sheet: gfx942 is an MI300A, an MI300X or an MI325X. A sheet given for another chip
    than the file's is not used.
    """
    fits = spec is not None and (arch is None or chip_of(arch) == chip_of(spec.target))
    found = spec if fits else _by_name(name)
    constants = {**(_of_sheet(found) if found else {}), **stated}
    return Agent(
        name or (found.name if found else None), arch or (found.target if found else None), constants, found
    )


def launch(index: int, dispatch: Dispatch, gpu: Agent) -> Launch:
    """The dispatch in canonical terms; grid and block in blocks and threads, occupancy from the sheet."""
    grid = _blocks(dispatch.grid_items, dispatch.block)
    known = {**_sizes(dispatch, grid), **_resident(dispatch, grid, gpu)}
    readings, refused = derive(dispatch.counters, gpu.arch, gpu.constants, known)
    return Launch(
        index=index,
        kernel=function_name(dispatch.kernel),
        readings=readings,
        grid_blocks=grid,
        block_threads=dispatch.block,
        device_name=gpu.name,
        arch=gpu.arch,
        flags=(*dispatch.flags, *_contradictions(gpu), *refused),
    )


def notes_on(gpu: Agent) -> tuple[str, ...]:
    """What the file leaves open about the GPU, as sentences for the whole report."""
    if gpu.arch is None:
        return (
            "the file does not say which GPU it is of, so only ratios of its counters are given; keep "
            "agent_info.csv or sysinfo.csv beside it, or name the device",
        )
    if chip_of(gpu.arch) is None:
        return (f"there are no formulas for {gpu.arch}: only times and sizes are given",)
    if "cus" not in gpu.constants:
        return (
            f"the file gives no count of CUs and {gpu.arch} alone does not: shares of the device are absent",
        )
    return ()


def _by_name(name: str | None) -> DeviceSpec | None:
    try:
        found = find_spec(name) if name else None
    except UnknownDevice:
        return None
    return found if found is None or found.vendor == "amd" else None


def _of_sheet(spec: DeviceSpec) -> dict[str, float]:
    channels = spec.sheet.limits.l2_channels if isinstance(spec.sheet, AmdSheet) else None
    figures = {
        "cus": spec.unit_count,
        "simds_per_cu": spec.sub_partitions,
        "waves_per_cu": spec.max_warps_per_unit,
        "xcds": spec.l2_partitions,
        "l2_channels": channels,
        "dram_peak": spec.dram_gb_s * 1e9,
    }
    return {name: float(value) for name, value in figures.items() if value is not None}


def _contradictions(gpu: Agent) -> tuple[str, ...]:
    """CUs of the file against the sheet's: a partition, or a card sold under another count."""
    counted, sheet = gpu.constants.get("cus"), gpu.spec.unit_count if gpu.spec else None
    if sheet is None or counted is None or counted == sheet:
        return ()
    return (
        f"the profile counts {counted:.0f} CUs, the sheet of {gpu.spec.name if gpu.spec else ''} {sheet}",
    )


def _blocks(items: Size | None, block: Size | None) -> Size | None:
    if items is None or block is None or min(*items, *block) < 1:
        return None
    x, y, z = (-(-item // threads) for item, threads in zip(items, block, strict=True))
    return x, y, z


def _sizes(dispatch: Dispatch, grid: Size | None) -> dict[str, Reading]:
    found = {
        "duration": dispatch.duration_ns,
        "grid": prod(grid) if grid else None,
        "block": prod(dispatch.block) if dispatch.block else None,
        "regs": _registers(dispatch),
        "smem_block": _lds(dispatch),
        "scratch": dispatch.scratch_bytes,
    }
    return {
        key: Reading(float(value), dispatch.columns[key]) for key, value in found.items() if value is not None
    }


def _registers(dispatch: Dispatch) -> int | None:
    """Vector registers of a lane: accumulation registers come out of the same file from CDNA2 on."""
    return None if dispatch.vgprs is None else dispatch.vgprs + (dispatch.accum_vgprs or 0)


def _lds(dispatch: Dispatch) -> int | None:
    """A static 0 is all there is only where the LDS was seen idle."""
    seen = [dispatch.counters.get(name) for name in _LDS_USE]
    unknown = dispatch.static_lds and not dispatch.lds_bytes and 0 not in seen
    return None if unknown else dispatch.lds_bytes


def _resident(dispatch: Dispatch, grid: Size | None, gpu: Agent) -> dict[str, Reading]:
    """How many work-groups a CU holds, by profiling.occupancy on the sheet: all of it where the LDS is known,
    else the limits of the rest; empty without a sheet."""
    registers, block, lds = _registers(dispatch), dispatch.block, _lds(dispatch)
    if gpu.spec is None or not registers or block is None:
        return {}
    if not 1 <= prod(block) <= gpu.spec.max_threads_per_block:
        return {}
    held = occupancy(gpu.spec, prod(block), registers, lds or 0)
    figures: dict[str, float] = {
        "limit_regs": held.limits["registers"],
        "limit_warps": held.limits["warps"],
        "limit_blocks": held.limits["blocks"],
    }
    cus = gpu.constants.get("cus")
    if lds is not None:
        figures |= {"limit_smem": held.limits["shared"], "occupancy_theoretical": 100 * held.fraction}
    if lds is not None and grid and cus and held.fits:
        figures["waves"] = prod(grid) / (cus * held.blocks_per_unit)
    columns = ", ".join(dispatch.columns[key] for key in ("regs", "smem_block", "block"))
    source = f"{columns} and the sheet of {gpu.spec.id}"
    return {key: Reading(float(value), source) for key, value in figures.items()}
