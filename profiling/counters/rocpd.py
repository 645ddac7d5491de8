"""Imports rocprofv3's default output, a SQLite database (rocpd), through the views that it brings."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ...hardware_specs.device import DeviceSpec
from .dispatch import TRACE_ALONE, Agent, Dispatch, Size, agent, launch, notes_on
from .passes import merge
from .record import CounterReport
from .textfile import UnreadableProfileError

_MAGIC = b"SQLite format 3\x00"
_COUNTED, _TRACED = "counters_collection", "kernels"
_NEEDED = {
    _COUNTED: {"dispatch_id", "kernel_name", "counter_name", "value"},
    _TRACED: {"dispatch_id", "name", "start", "end"},
}
# What the sizes of a dispatch are called, by canonical key.
_COLUMN_NAMES = {
    "duration": "end, start",
    "grid": "grid_size, workgroup_size",
    "block": "workgroup_size",
    "regs": "vgpr_count, accum_vgpr_count",
    "smem_block": "lds_block_size",
    "scratch": "scratch_size",
}
_STATED = {"cus": "cu_count", "simds_per_cu": "simd_per_cu", "xcds": "num_xcc"}

Row = Mapping[str, Any]


def recognises(path: Path, text: str = "") -> bool:
    """Whether this is a database with rocpd's views, or a folder that holds some."""
    return any(_is_rocpd(file) for file in _databases(path))


def read(path: Path, device: DeviceSpec | None = None) -> CounterReport:
    """The launches of a database, or of a folder with one for each pass; `device` wins over its own record.

    Raises UnreadableProfileError for a schema without the views.
    """
    passes: list[list[Dispatch]] = []
    gpus: list[Agent] = []
    notes: list[str] = []
    for file in _databases(path):
        with _opened(file) as database:
            dispatches, found = _dispatches(database, file)
            passes.append(dispatches)
            notes += found
            gpus.append(_gpu(database, device))
    merged, merge_notes = merge(passes)
    if not merged:
        raise UnreadableProfileError(
            f"{path} is a rocpd database without a kernel dispatch: nothing ran in it."
        )
    gpu = gpus[0] if all(other == gpus[0] for other in gpus) else agent(None, None, {}, device)
    return CounterReport(
        tool="rocprofv3",
        launches=tuple(launch(index, one, gpu) for index, one in enumerate(merged)),
        notes=(*dict.fromkeys(notes), *merge_notes, *notes_on(gpu)),
    )


def _databases(path: Path) -> list[Path]:
    """The SQLite files that `path` is or holds, three folders deep."""
    if not path.is_dir():
        return [path] if _is_sqlite(path) else []
    return [f for depth in ("*", "*/*", "*/*/*") for f in sorted(path.glob(f"{depth}.db")) if _is_sqlite(f)]


def _is_sqlite(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _is_rocpd(file: Path) -> bool:
    try:
        with _opened(file) as database:
            return bool(_columns(database, _COUNTED) or _columns(database, "rocpd_metadata"))
    except UnreadableProfileError:
        return False


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The database for reading alone: nothing beside it is made or changed."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.row_factory = sqlite3.Row
            yield database
    except sqlite3.Error as error:
        raise UnreadableProfileError(
            f"{file} does not read as rocprofv3's database ({error}): it may be cut short; run rocprofv3 "
            "again, or with --output-format csv."
        ) from None


def _columns(database: sqlite3.Connection, view: str) -> set[str]:
    """The columns of a view or table, none where there is no such thing."""
    known = database.execute("select name from sqlite_master where name = ?", (view,)).fetchone()
    return {row["name"] for row in database.execute(f"pragma table_info({view})")} if known else set()


def _dispatches(database: sqlite3.Connection, file: Path) -> tuple[list[Dispatch], tuple[str, ...]]:
    """Dispatches with their counters; where none were counted, those of the trace."""
    groups: dict[tuple[Any, Any, int], list[Row]] = {}
    for row in _rows(database, file, _COUNTED):
        groups.setdefault((row.get("guid"), row.get("pid"), row["dispatch_id"]), []).append(row)
    if groups:
        return [_counted(rows) for _, rows in sorted(groups.items(), key=lambda item: item[0][2])], ()
    traced = sorted(_rows(database, file, _TRACED), key=lambda row: int(row["dispatch_id"]))
    return [_dispatch(row, {}) for row in traced], (TRACE_ALONE,)


def _rows(database: sqlite3.Connection, file: Path, view: str) -> Iterator[Row]:
    """The rows of a view that are whole: with a dispatch and a kernel."""
    if not _NEEDED[view] <= _columns(database, view):
        raise UnreadableProfileError(
            f"{file} has no view {view} with {', '.join(sorted(_NEEDED[view]))} (schema "
            f"{_schema(database)}): expected rocprofv3's schema 3; convert it with `rocpd convert -i FILE "
            "-f csv` and give the CSV."
        )
    name = "kernel_name" if view == _COUNTED else "name"
    for row in database.execute(f"select * from {view}"):
        found = dict(row)
        if isinstance(found["dispatch_id"], int) and isinstance(found[name], str):
            yield {**found, "kernel_name": found[name]}


def _counted(rows: Sequence[Row]) -> Dispatch:
    """A counter with two values is left out: which of them holds is not to be told."""
    counters: dict[str, set[float]] = {}
    for row in rows:
        if isinstance(row["value"], int | float):
            counters.setdefault(str(row["counter_name"]), set()).add(float(row["value"]))
    return _dispatch(
        rows[0], {name: next(iter(values)) for name, values in counters.items() if len(values) == 1}
    )


def _dispatch(row: Row, counters: Mapping[str, float]) -> Dispatch:
    start, end = _count(row, "start"), _count(row, "end")
    passed = end - start if start is not None and end is not None and end > start else None
    return Dispatch(
        order=int(row["dispatch_id"]),
        kernel=str(row["kernel_name"]),
        counters=counters,
        grid_items=_size(row, "grid_size", "grid"),
        block=_size(row, "workgroup_size", "workgroup"),
        duration_ns=None if passed is None else float(passed),
        vgprs=_count(row, "vgpr_count"),
        accum_vgprs=_count(row, "accum_vgpr_count"),
        lds_bytes=_count(row, "lds_block_size", "lds_size"),
        scratch_bytes=_count(row, "scratch_size"),
        columns=_COLUMN_NAMES,
    )


def _size(row: Row, *names: str) -> Size | None:
    """The three sizes, else their product alone."""
    for name in names:
        x, y, z = (_count(row, f"{name}_{axis}") for axis in "xyz")
        if x and y and z:
            return x, y, z
    total = _count(row, *names)
    return (total, 1, 1) if total else None


def _count(row: Row, *names: str) -> int | None:
    values = (row.get(name) for name in names)
    return next((value for value in values if isinstance(value, int) and value >= 0), None)


def _gpu(database: sqlite3.Connection, device: DeviceSpec | None) -> Agent:
    """The GPU that the dispatches ran on, by the agents' table: known where all of them are of one kind."""
    if not {"type", "name", "product_name", "extdata"} <= _columns(database, "rocpd_info_agent"):
        return agent(None, None, {}, device)
    rows = [dict(row) for row in database.execute("select * from rocpd_info_agent where type = 'GPU'")]
    view = _COUNTED if database.execute(f"select 1 from {_COUNTED} limit 1").fetchone() else _TRACED
    if "agent_abs_index" in _columns(database, view):
        used = {row[0] for row in database.execute(f"select distinct agent_abs_index from {view}")}
        rows = [row for row in rows if row.get("absolute_index") in used] or rows
    found = [(row["product_name"] or None, row["name"] or None, _stated(row["extdata"])) for row in rows]
    if not found or any(other != found[0] for other in found):
        return agent(None, None, {}, device)
    return agent(*found[0], device)


def _stated(extdata: object) -> dict[str, float]:
    """The agent's own figures, which rocprofv3 keeps as JSON."""
    try:
        record = json.loads(extdata) if isinstance(extdata, str | bytes) else None
    except ValueError:
        record = None
    if not isinstance(record, dict):
        return {}
    figures = {name: record.get(field) for name, field in _STATED.items()}
    slots, simds = record.get("max_waves_per_simd"), record.get("simd_per_cu")
    if isinstance(slots, int) and isinstance(simds, int):
        figures["waves_per_cu"] = slots * simds
    return {
        name: float(value) for name, value in figures.items() if isinstance(value, int | float) and value > 0
    }


def _schema(database: sqlite3.Connection) -> str:
    """The schema version that the file names, or "unknown"."""
    if not {"tag", "value"} <= _columns(database, "rocpd_metadata"):
        return "unknown"
    row = database.execute("select value from rocpd_metadata where tag = 'schema_version'").fetchone()
    return str(row[0]) if row else "unknown"
