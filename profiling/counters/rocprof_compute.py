"""Imports rocprof-compute (Omniperf) folders and the first rocprof's CSV, both with a column per counter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ...hardware_specs.device import DeviceSpec
from .dispatch import Agent, Dispatch, agent, launch, notes_on
from .passes import merge
from .record import CounterReport
from .rocm_csv import Table, duration_ns, header, number, read_table, whole
from .textfile import UnreadableProfileError

Row = Mapping[str, str]

_JOINED, _PASSES, _SYSTEM = "pmc_perf.csv", "pmc_perf_*.csv", "sysinfo.csv"
_NEW = frozenset({"Kernel_Name", "Grid_Size", "Workgroup_Size"})
_LEGACY = frozenset({"KernelName", "grd", "wgr"})
_LONG = "Counter_Name"  # rocprofv3's column: a row per counter is its format
# Column by what it says; rocprof v1 spells it after the comma.
_COLUMNS = {
    "order": ("Dispatch_ID", "Index"),
    "kernel": ("Kernel_Name", "KernelName"),
    "grid": ("Grid_Size", "grd"),
    "block": ("Workgroup_Size", "wgr"),
    "lds": ("LDS_Per_Workgroup", "lds"),
    "scratch": ("Scratch_Per_Workitem", "scr"),
    "vgprs": ("Arch_VGPR", "arch_vgpr"),
    "accum_vgprs": ("Accum_VGPR", "accum_vgpr"),
    "start": ("Start_Timestamp", "BeginNs"),
    "end": ("End_Timestamp", "EndNs"),
}
# What the sizes of a dispatch are called, by canonical key.
_NAMES, _LEGACY_NAMES = (
    {
        "duration": f"{_COLUMNS['end'][which]}, {_COLUMNS['start'][which]}",
        "grid": f"{_COLUMNS['grid'][which]}, {_COLUMNS['block'][which]}",
        "block": _COLUMNS["block"][which],
        "regs": f"{_COLUMNS['vgprs'][which]}, {_COLUMNS['accum_vgprs'][which]}",
        "smem_block": _COLUMNS["lds"][which],
        "scratch": _COLUMNS["scratch"][which],
    }
    for which in (0, 1)
)
# sysinfo.csv of rocprof-compute, then of Omniperf 1.
_STATED = {
    "cus": ("cu_per_gpu", "numCU"),
    "simds_per_cu": ("simd_per_cu", "numSIMD"),
    "waves_per_cu": ("max_waves_per_cu", "maxWavesPerCU"),
    "xcds": ("num_xcd",),
    "l2_channels": ("total_l2_chan", "L2Banks"),
}
_COUNTER = re.compile(r"([A-Za-z][A-Za-z0-9_]*?)(?:\[(\d+)\])?")
_STEPPING = re.compile(r"_A\d$")  # MI300X_A1, MI300A_A1: the tool's own names


def recognises(path: Path, text: str = "") -> bool:
    """Whether this is a folder of rocprof-compute or a wide CSV; `text` is the file's beginning."""
    if path.is_dir():
        return (path / _JOINED).is_file() or any(path.glob(_PASSES)) or bool(_workloads(path))
    return any(_wide(line) for line in text.splitlines())


def read(path: Path, device: DeviceSpec | None = None) -> CounterReport:
    """The launches of a folder or file; `device` says what it is of where no sysinfo.csv does.

    Raises UnreadableProfileError.
    """
    folder, files = _files(path)
    gpu, notes = _system(folder / _SYSTEM, device)
    passes = [(file, _table(file)) for file in files]
    merged, merge_notes = merge([_dispatches(table, gpu) for _, table in passes])
    if not merged:
        raise UnreadableProfileError(f"{path} has the header of a ROCm profile and no dispatch below it.")
    for file, table in passes:
        if skipped := table.skipped + sum(not _is_row(row) for row in table.rows):
            notes = (*notes, f"{skipped} lines of {file.name} that are no rows were left out")
    if any("KernelName" in table.columns for _, table in passes):
        notes = (*notes, "CSV of the first rocprof, whose columns it shares with rocprof-compute")
    return CounterReport(
        tool="rocprof-compute",
        launches=tuple(launch(index, one, gpu) for index, one in enumerate(merged)),
        notes=(*notes, *merge_notes, *notes_on(gpu)),
    )


def _files(path: Path) -> tuple[Path, list[Path]]:
    """The folder of a profile and its tables: the joined one, else one for each pass."""
    if path.is_file():
        return path.parent, [path]
    if not (path / _JOINED).is_file() and not any(path.glob(_PASSES)):
        found = _workloads(path)
        if len(found) != 1:
            names = ", ".join(str(folder.relative_to(path)) for folder in found)
            raise UnreadableProfileError(
                f"{path} holds several rocprof-compute profiles ({names}): name one."
            )
        path = found[0]
    joined = path / _JOINED
    return path, [joined] if joined.is_file() else sorted(path.glob(_PASSES))


def _workloads(path: Path) -> list[Path]:
    """Folders one or two down that hold a profile: workloads/NAME/SOC."""
    return sorted({file.parent for depth in ("*", "*/*") for file in path.glob(f"{depth}/{_JOINED}")})


def _wide(line: str) -> bool:
    found = header(line, _NEW) or header(line, _LEGACY)
    return found is not None and _LONG not in found[1]


def _table(file: Path) -> Table:
    table = read_table(file, _NEW) or read_table(file, _LEGACY)
    if table is None or _LONG in table.columns:
        raise UnreadableProfileError(
            f"{file} has no header with Kernel_Name, Grid_Size and Workgroup_Size: expected the wide table "
            "that rocprof-compute profile leaves (pmc_perf.csv)."
        )
    return table


def _dispatches(table: Table, gpu: Agent) -> list[Dispatch]:
    found = [_dispatch(row, place, gpu) for place, row in enumerate(table.rows) if _is_row(row)]
    if found and table.open_end and _is_row(table.rows[-1]):
        flag = f"the file ends inside a line: {table.columns[-1]} of this launch may be cut"
        found[-1] = replace(found[-1], flags=(*found[-1].flags, flag))
    return found


def _is_row(row: Row) -> bool:
    """Whether a line under the header is a dispatch: its sizes are counts."""
    return all(whole(_cell(row, what)) for what in ("grid", "block")) and bool(_cell(row, "kernel"))


def _cell(row: Row, what: str) -> str | None:
    return next((row[column] for column in _COLUMNS[what] if column in row), None)


def _dispatch(row: Row, place: int, gpu: Agent) -> Dispatch:
    grid, block = whole(_cell(row, "grid")), whole(_cell(row, "block"))
    order = whole(_cell(row, "order"))
    passed, why = duration_ns(_cell(row, "start"), _cell(row, "end"))
    return Dispatch(
        order=place if order is None else order,
        kernel=_cell(row, "kernel") or "",
        counters=_counters(row, gpu.constants.get("l2_channels")),
        grid_items=(grid, 1, 1) if grid else None,
        block=(block, 1, 1) if block else None,
        duration_ns=passed,
        vgprs=whole(_cell(row, "vgprs")),
        accum_vgprs=whole(_cell(row, "accum_vgprs")),
        lds_bytes=whole(_cell(row, "lds")),
        static_lds="KernelName" not in row,
        scratch_bytes=whole(_cell(row, "scratch")),
        flags=(why,) if why else (),
        columns=_LEGACY_NAMES if "KernelName" in row else _NAMES,
    )


def _counters(row: Row, channels: float | None) -> dict[str, float]:
    """Every column with a number but the row's own. Instances (`TCC_HIT[7]`) are added up only where no sum
    stands beside them and all channels of the device are there; some tools drop a part of them."""
    meta = {column for columns in _COLUMNS.values() for column in columns}
    found: dict[str, float] = {}
    instances: dict[str, dict[int, float]] = {}
    for column, cell in row.items():
        match, value = _COUNTER.fullmatch(column), number(cell)
        if match is None or value is None or column in meta:
            continue
        if match[2] is None:
            found[column] = value
        else:
            instances.setdefault(match[1], {})[int(match[2])] = value
    for name, values in instances.items():
        if channels and set(values) == set(range(int(channels))) and not {name, f"{name}_sum"} & found.keys():
            found[name] = sum(values.values())
    return found


def _system(file: Path, device: DeviceSpec | None) -> tuple[Agent, tuple[str, ...]]:
    """The GPU by sysinfo.csv; figures of 0 are ones the tool did not know."""
    table = read_table(file, frozenset({"workload_name"})) if file.is_file() else None
    if table is None or not table.rows:
        return agent(None, None, {}, device), ()
    row = table.rows[0]
    stated = {name: _first(row, columns) for name, columns in _STATED.items()}
    peak = _first(row, ("hbm_bw", "hbmBW"))
    stated["dram_peak"] = peak * 1e9 if peak else None
    arch = row.get("gpu_arch") or row.get("gpu_soc") or None
    model = _STEPPING.sub("", row.get("gpu_model") or row.get("name") or "") or None
    mode = row.get("compute_partition") or "SPX"
    notes = (
        (f"counted in compute partition {mode}: a part of the card",) if mode not in ("SPX", "N/A") else ()
    )
    return agent(model, arch, {name: value for name, value in stated.items() if value}, device), notes


def _first(row: Row, columns: tuple[str, ...]) -> float | None:
    return next((number(row[column]) for column in columns if column in row), None)
