"""Writes counted values as profilers leave them: Nsight Compute's pages, rocprofv3, rocprof-compute."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from amd_card import L2_CHANNELS

from kbgen.hardware_specs.device import DeviceSpec
from kbgen.profiling.counters.nvidia import family, metric_names
from kbgen.profiling.counters.vocabulary import vocabulary

_IDENTITY = (
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size",
    "Grid Size",
    "Device", "CC",
)  # fmt: skip
_STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_RAW_UNITS = {"hz": "hz", "": "", "ratio": "", "inst/cycle": "inst/cycle", "byte/sector": "byte/sector"}
# what a details or text page shows, section by section: label, canonical key, unit
_PAGES: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "GPU Speed Of Light Throughput": (
        ("SM Frequency", "sm_clock", "hz"), ("Elapsed Cycles", "sm_elapsed", "cycle"),
        ("Memory Throughput", "mem_pct", "%"), ("DRAM Throughput", "dram_pct", "%"), ("Duration",
        "duration", "ns"),
        ("L1/TEX Cache Throughput", "l1_pct", "%"), ("L2 Cache Throughput", "l2_pct", "%"),
        ("SM Active Cycles", "sm_active", "cycle"), ("Compute (SM) Throughput", "sm_pct", "%"),
    ),
    "Memory Workload Analysis": (
        ("Memory Throughput", "dram_bytes_s", "byte/s"), ("L1/TEX Hit Rate", "l1_hit", "%"),
        ("L2 Hit Rate", "l2_hit", "%"),
    ),
    "Scheduler Statistics": (
        ("Issued Warp Per Scheduler", "issue_active", ""), ("Active Warps Per Scheduler",
        "warps_per_scheduler", "warp"),
    ),
    "Warp State Statistics": (
        ("Warp Cycles Per Issued Instruction", "cycles_per_issue", "cycle"),
        ("Avg. Active Threads Per Warp", "threads_per_inst", ""),
    ),
    "Launch Statistics": (
        ("Block Size", "block", ""), ("Grid Size", "grid", ""), ("Registers Per Thread", "regs",
        "register/thread"),
        ("Dynamic Shared Memory Per Block", "smem_block", "byte/block"), ("# SMs", "units", "SM"),
        ("Waves Per SM", "waves", ""),
    ),
    "Occupancy": (
        ("Block Limit SM", "limit_blocks", "block"), ("Block Limit Registers", "limit_regs", "block"),
        ("Block Limit Shared Mem", "limit_smem", "block"), ("Block Limit Warps", "limit_warps", "block"),
        ("Theoretical Occupancy", "occupancy_theoretical", "%"), ("Achieved Occupancy",
        "occupancy_achieved", "%"),
    ),
}  # fmt: skip


def write(
    path: Path, form: str, kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec
) -> Path:
    """Writes one profile as `form` and gives the path that an importer is handed."""
    if form in ("raw", "details", "text"):
        text = {"raw": _raw, "details": _details, "text": _text}[form](kernel, told, values, spec)
        file = path.with_suffix(".txt" if form == "text" else ".csv")
        file.write_text(text, encoding="utf-8")
        return file
    path.mkdir(exist_ok=True)
    files = _rocprofv3 if form == "rocprofv3" else _rocprof_compute
    for name, rows in files(kernel, told, values, spec).items():
        (path / name).write_text(_csv(rows), encoding="utf-8")
    return path


def _identity(kernel: str, told: Mapping[str, Any], spec: DeviceSpec) -> list[str]:
    major, minor = divmod(int(spec.arch.removeprefix("sm_")), 10)
    sizes = f"({told['block']}, 1, 1)", f"({told['grid']}, 1, 1)"
    return ["0", "4242", "python3", "127.0.0.1", kernel, "1", "7", *sizes, "0", f"{major}.{minor}"]


def _raw(kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec) -> str:
    """The raw page: names, units, one row; the device's name stands among the metrics."""
    columns, units, cells = list(_IDENTITY), [""] * len(_IDENTITY), _identity(kernel, told, spec)
    columns.append("device__attribute_display_name")
    units.append("")
    cells.append(spec.device_names[0])
    for key, value in values.items():
        name, unit = key, vocabulary()[key].unit
        if key.startswith("stall_"):
            name, unit, value = (
                _STALL.format(key.removeprefix("stall_")),
                "ratio",
                value * values["cycles_per_issue"],
            )
        else:
            names = metric_names(key, family(spec.arch))
            if not names or key in told.get("lacks", ()):
                continue
            name = names[0]
        columns.append(name)
        units.append(_RAW_UNITS.get(unit, unit))
        cells.append(f"{value:.6f}".rstrip("0").rstrip("."))
    head = "==PROF== Connected to process 4242 (/usr/bin/python3)\n==PROF== Disconnected from process 4242\n"
    return head + _csv([columns, units, cells], quote=True)


def _rows(values: Mapping[str, float]) -> list[tuple[str, str, str, str]]:
    """Section, label, unit, value: two decimals, as the tool prints."""
    return [
        (section, label, unit, f"{values[key]:.2f}".removesuffix(".00"))
        for section, shown in _PAGES.items()
        for label, key, unit in shown
        if key in values
    ]


def _details(kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec) -> str:
    header = [*_IDENTITY, "Section Name", "Metric Name", "Metric Unit", "Metric Value"]
    return _csv([header, *([*_identity(kernel, told, spec), *row] for row in _rows(values))], quote=True)


def _text(kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec) -> str:
    cells = _identity(kernel, told, spec)
    lines = ["==PROF== Connected to process 4242", "loss 0.6931", "[4242] python3@127.0.0.1"]
    lines.append(f"  {kernel} {cells[8]}x{cells[7]}, Context 1, Stream 7, Device 0, CC {cells[10]}")
    rule = f"    {'-' * 38} {'-' * 15} {'-' * 20}"
    section = ""
    for name, label, unit, value in [*_rows(values), ("", "", "", "")]:
        if name != section:
            lines += [rule, ""] if section else []
            section = name
            if not name:
                break
            lines += [
                f"    Section: {name}",
                rule,
                f"    {'Metric Name':<38} {'Metric Unit':>15} {'Metric Value':>20}",
                rule,
            ]
        lines.append(f"    {label:<38} {unit:>15} {value:>20}")
    return "\n".join(lines) + "\n"


def _rocprofv3(
    kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec
) -> dict[str, list[list[str]]]:
    """A row for every counter, and the agents of the machine."""
    header = [
        "Correlation_Id",
        "Dispatch_Id",
        "Agent_Id",
        "Queue_Id",
        "Process_Id",
        "Thread_Id",
        "Grid_Size",
        "Kernel_Id",
        "Kernel_Name",
        "Workgroup_Size",
        "LDS_Block_Size",
        "Scratch_Size",
        "VGPR_Count",
        "Accum_VGPR_Count",
        "SGPR_Count",
        "Counter_Name",
        "Counter_Value",
        "Start_Timestamp",
        "End_Timestamp",
    ]
    start = 3_200_098_838_431_081
    before = [
        "1",
        "1",
        "Agent 4",
        "1",
        "4242",
        "4242",
        str(told["grid"] * told["block"]),
        "17",
        kernel,
        str(told["block"]),
    ]
    sizes = [told.get("smem", 0), told.get("scratch", 0), told.get("regs", 32), told.get("agprs", 0), 32]
    before += [str(size) for size in sizes]
    after = [str(start), str(start + round(told["us"] * 1e3))]
    rows = [[*before, name, f"{value:.6f}", *after] for name, value in values.items()]
    agents = [
        ["Node_Id", "Agent_Type", "Cu_Count", "Name", "Product_Name"],
        ["0", "CPU", "64", "EPYC", "EPYC"],
        ["4", "GPU", str(spec.unit_count), spec.target, spec.device_names[0]],
    ]
    return {"run_counter_collection.csv": [header, *rows], "run_agent_info.csv": agents}


def _rocprof_compute(
    kernel: str, told: Mapping[str, Any], values: Mapping[str, float], spec: DeviceSpec
) -> dict[str, list[list[str]]]:
    """A column for every counter, and the machine's description."""
    sizes = {
        "Dispatch_ID": 0, "GPU_ID": 0, "Grid_Size": told["grid"] * told["block"],
        "Workgroup_Size": told["block"],
        "LDS_Per_Workgroup": told.get("smem", 0), "Scratch_Per_Workitem": told.get("scratch", 0),
        "Arch_VGPR": told.get("regs", 32), "Accum_VGPR": told.get("agprs", 0), "SGPR": 32, "Wave_Size": 64,
        "Kernel_Name": f"{kernel} [clone .kd]",
    }  # fmt: skip
    start = 3_200_098_838_431_081
    times = {"Start_Timestamp": start, "End_Timestamp": start + round(told["us"] * 1e3)}
    wide = {**sizes, **{name: f"{value:.1f}" for name, value in values.items()}, **times}
    model = spec.device_names[0].removeprefix("AMD Instinct ")
    system = {
        "workload_name": "train", "rocm_version": "7.0.0", "gpu_model": model, "gpu_arch": spec.target,
        "cu_per_gpu": spec.unit_count, "simd_per_cu": spec.sub_partitions, "wave_size": 64,
        "max_waves_per_cu": 32,
        "max_sclk": spec.clock_mhz, "num_xcd": spec.l2_partitions, "total_l2_chan": L2_CHANNELS[spec.target],
    }  # fmt: skip
    return {
        "pmc_perf.csv": [list(wide), [str(value) for value in wide.values()]],
        "sysinfo.csv": [list(system), [str(value) for value in system.values()]],
    }


def _csv(rows: Sequence[Sequence[str]], *, quote: bool = False) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL, lineterminator="\n").writerows(
        rows
    )
    return out.getvalue()
