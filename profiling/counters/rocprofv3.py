"""Imports rocprofv3's CSV, counter_collection and kernel_trace of old and new tools, of one pass or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...hardware_specs.device import DeviceSpec
from .dispatch import TRACE_ALONE, Dispatch, Size, launch, notes_on
from .passes import merge
from .record import CounterReport
from .rocm_csv import Table, duration_ns, header, number, read_table, whole
from .rocprofv3_files import COUNTERS, TRACE, Row, Run, gpu_of, run_of, runs_in
from .textfile import UnreadableProfileError


@dataclass(frozen=True)
class _Rows:
    """The dispatches of one run, the GPUs that they name, and what was left out."""

    dispatches: tuple[Dispatch, ...]
    agent_ids: tuple[str, ...]
    notes: tuple[str, ...]


def recognises(path: Path, text: str = "") -> bool:
    """Whether this is a CSV of rocprofv3, or a folder of them; `text` is the file's beginning."""
    if path.is_dir():
        return bool(runs_in(path))
    return any(header(line, COUNTERS) or header(line, TRACE) for line in text.splitlines())


def read(path: Path, device: DeviceSpec | None = None) -> CounterReport:
    """The launches of a file or folder; `device` says what it is of where no agent_info.csv does.

    Raises UnreadableProfileError.
    """
    runs = runs_in(path) if path.is_dir() else [run_of(path)]
    by_pass: dict[int, list[Dispatch]] = {}
    notes: list[str] = []
    gpu_ids: list[str] = []
    for run in sorted(runs, key=lambda run: run.number):
        rows = _read_run(run)
        by_pass.setdefault(run.number, []).extend(rows.dispatches)
        gpu_ids += rows.agent_ids
        notes += rows.notes
    dispatches, merge_notes = merge(list(by_pass.values()))
    if not dispatches:
        raise UnreadableProfileError(
            f"{path} has the header of rocprofv3 and no dispatch below it: the program launched no kernel, "
            "or none that --kernel-include-regex matches."
        )
    gpu = gpu_of([run.agents for run in runs if run.agents], gpu_ids, device)
    return CounterReport(
        tool="rocprofv3",
        launches=tuple(launch(index, one, gpu) for index, one in enumerate(dispatches)),
        notes=(*dict.fromkeys(notes), *merge_notes, *notes_on(gpu)),
    )


def counter_names(folder: Path) -> frozenset[str]:
    """The counters that a folder has a value of, as the tool spells them."""
    tables = [_table(run.counters, COUNTERS) for run in runs_in(folder)]
    return frozenset(
        row["Counter_Name"]
        for table in tables
        if table
        for row in table.rows
        if number(row["Counter_Value"]) is not None
    )


def _read_run(run: Run) -> _Rows:
    traced = _table(run.trace, TRACE)
    counted = _table(run.counters, COUNTERS)
    if counted is None and traced is None:
        file = run.counters or run.trace
        raise UnreadableProfileError(f"{file} is no counter_collection or kernel_trace of rocprofv3.")
    if counted is None:
        return _from_trace(traced) if traced else _Rows((), (), ())
    return _from_counters(counted, traced)


def _table(path: Path | None, required: frozenset[str]) -> Table | None:
    return read_table(path, required) if path else None


def _from_counters(table: Table, trace: Table | None) -> _Rows:
    """One dispatch per process and dispatch id, its counters from as many rows; sizes from the trace."""
    groups: dict[tuple[str, int], list[Row]] = {}
    bad = 0
    for row in table.rows:
        order = whole(row.get("Dispatch_Id"))
        if order is None or not row.get("Kernel_Name") or number(row.get("Counter_Value")) is None:
            bad += 1
            continue
        groups.setdefault((row.get("Process_Id", ""), order), []).append(row)
    traced, notes = _trace_rows(trace, groups)
    last = table.rows[-1] if table.rows and table.open_end else None
    dispatches = [
        _counted(order, rows, traced.get((process, order)), cut=last is not None and rows[-1] is last)
        for (process, order), rows in sorted(groups.items(), key=lambda item: item[0][1])
    ]
    agents = tuple(rows[0].get("Agent_Id", "") for rows in groups.values())
    return _Rows(tuple(dispatches), agents, (*_left_out(table.skipped + bad), *notes))


def _counted(order: int, rows: Sequence[Row], trace: Row | None, *, cut: bool) -> Dispatch:
    first = rows[0]
    counters: dict[str, float] = {}
    flags: list[str] = []
    for row in rows:
        name, value = row.get("Counter_Name", ""), number(row.get("Counter_Value"))
        if value is not None and counters.setdefault(name, value) != value:
            flags.append(f"{name} stands twice, as {counters[name]:.6g} and {value:.6g}: left out")
    torn = {flag.split()[0] for flag in flags}
    passed, why = duration_ns(first.get("Start_Timestamp"), first.get("End_Timestamp"))
    if cut and (passed is None or tuple(first)[-1] != "End_Timestamp"):
        flags.append("the file ends inside a line: the last value of this launch may be cut")
    found = _sized(order, first, {name: value for name, value in counters.items() if name not in torn})
    found = replace(found, duration_ns=passed, flags=(*found.flags, *flags, *((why,) if why else ())))
    return found if trace is None else _with_trace(found, trace)


def _with_trace(found: Dispatch, trace: Row) -> Dispatch:
    sizes = _traced(trace)
    return replace(
        found,
        grid_items=sizes.grid_items or found.grid_items,
        block=sizes.block or found.block,
        lds_bytes=found.lds_bytes if sizes.static_lds else sizes.lds_bytes,
        static_lds=sizes.static_lds,
        duration_ns=found.duration_ns or sizes.duration_ns,
    )


def _trace_rows(
    trace: Table | None, groups: Mapping[tuple[str, int], Sequence[Row]]
) -> tuple[Mapping[tuple[str, int], Row], tuple[str, ...]]:
    """The trace's row of each dispatch, none where kernel or GPU contradict: the trace is of another run."""
    if trace is None:
        return {}, ()
    rows = _uncut(trace)
    by_id = {whole(row.get("Dispatch_Id")): row for row in rows}
    if len({process for process, _ in groups}) > 1 or len(by_id) != len(rows):
        return {}, ("the kernel trace holds several processes: its times are left out",)
    joined = {(process, order): by_id[order] for process, order in groups if order in by_id}
    for key, row in joined.items():
        if any(row.get(column) != groups[key][0].get(column) for column in ("Kernel_Name", "Agent_Id")):
            return {}, ("the kernel trace is of another run than the counters: its times are left out",)
    return joined, ()


def _from_trace(table: Table) -> _Rows:
    rows = [row for row in _uncut(table) if whole(row.get("Dispatch_Id")) is not None and row["Kernel_Name"]]
    rows.sort(key=lambda row: (row.get("Process_Id", ""), whole(row["Dispatch_Id"]) or 0))
    agents = tuple(row.get("Agent_Id", "") for row in rows)
    skipped = table.skipped + len(table.rows) - len(_uncut(table))
    return _Rows(tuple(_traced(row) for row in rows), agents, (*_left_out(skipped), TRACE_ALONE))


def _uncut(trace: Table) -> Sequence[Row]:
    """The rows of a trace without a last one that may be cut: the file ends inside its line."""
    return trace.rows[:-1] if trace.open_end else trace.rows


def _traced(row: Row) -> Dispatch:
    found = _sized(whole(row.get("Dispatch_Id")) or 0, row, {})
    passed, why = duration_ns(row.get("Start_Timestamp"), row.get("End_Timestamp"))
    return replace(
        found,
        grid_items=_size(row, "Grid_Size"),
        block=_size(row, "Workgroup_Size"),
        duration_ns=passed,
        flags=(why,) if why else (),
    )


def _sized(order: int, row: Row, counters: Mapping[str, float]) -> Dispatch:
    """What both tables say; counter_collection gives grid and work-group as products alone."""
    grid, block = whole(row.get("Grid_Size")), whole(row.get("Workgroup_Size"))
    return Dispatch(
        order=order,
        kernel=row.get("Kernel_Name", ""),
        counters=counters,
        grid_items=(grid, 1, 1) if grid else None,
        block=(block, 1, 1) if block else None,
        vgprs=whole(row.get("VGPR_Count")),
        accum_vgprs=whole(row.get("Accum_VGPR_Count")),
        lds_bytes=whole(row.get("LDS_Block_Size") or row.get("Group_Segment_Size")),
        static_lds="LDS_Block_Size" in row,
        scratch_bytes=whole(row.get("Scratch_Size") or row.get("Private_Segment_Size")),
    )


def _size(row: Row, name: str) -> Size | None:
    x, y, z = (whole(row.get(f"{name}_{axis}")) for axis in "XYZ")
    return (x, y, z) if x and y and z else None


def _left_out(count: int) -> tuple[str, ...]:
    return (f"{count} lines that are no whole rows were left out",) if count else ()
