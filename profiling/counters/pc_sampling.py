"""Imports rocprofv3's PC samples: where waves stood when they were looked at, and on MI300 and later why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from ...hardware_specs.device import DeviceSpec
from .kernel_name import function_name
from .record import CounterReport, Launch, Reading
from .rocm_csv import duration_ns, header, read_table, whole
from .textfile import UnreadableProfileError

Row = Mapping[str, str]

_SAMPLES = frozenset({"Sample_Timestamp", "Dispatch_Id", "Instruction"})
_REASONS = frozenset({"Stall_Reason", "Wave_Issued_Instruction"})
_TRACE = frozenset({"Dispatch_Id", "Kernel_Name", "Start_Timestamp", "End_Timestamp"})
_SUFFIX = re.compile(r"pc_sampling_\w+\.csv$")
_CLOCK_SLACK_NS = 100_000
_ENOUGH = 100  # a share of 0.3 is then known to about 0.05

# Why a wave did not issue, where the reason alone tells it; the rest is told by where it stood.
_BY_REASON = {
    "ALU_DEPENDENCY": "stall_wait",
    "BARRIER_WAIT": "stall_barrier",
    "NO_INSTRUCTION_AVAILABLE": "stall_no_instruction",
    "ARBITER_NOT_WIN": "stall_not_selected",
    "SLEEP_WAIT": "stall_sleeping",
}
# s_waitcnt counts vector memory (vmcnt; loadcnt and storecnt from gfx12 on) apart from LDS and scalar memory.
_WAITS = (
    (
        re.compile(r"^s_wait\w*\s.*\bv[ms]cnt|^s_wait_(?:load|store|sample|bvh)cnt"),
        "stall_long_scoreboard",
    ),
    (re.compile(r"^s_wait\w*\s.*\blgkmcnt|^s_wait_(?:ds|km)cnt"), "stall_short_scoreboard"),
)
# The unit that was busy when an instruction won its arbitration and could not go.
_BUSY = (
    (re.compile(r"^(?:global|flat|buffer|scratch|image)_"), "stall_lg_throttle"),
    (re.compile(r"^ds_"), "stall_mio_throttle"),
    (re.compile(r"^v_"), "stall_math_pipe_throttle"),
)
_OTHER = "stall_misc"
_KEYS = (
    *(
        "stall_selected",
        *_BY_REASON.values(),
        *(key for _, key in _WAITS),
        *(key for _, key in _BUSY),
        _OTHER,
    ),
)
# What the place alone tells: a wave stands at the instruction it waits in.
_BY_PLACE = (*_WAITS, (re.compile(r"^s_barrier"), "stall_barrier"))


def recognises(path: Path, text: str = "") -> bool:
    """Whether this is a table of PC samples, or a folder with one; `text` is the file's beginning."""
    if path.is_dir():
        return any(_SUFFIX.search(file.name) for file in path.glob("*.csv"))
    return any(header(line, _SAMPLES) for line in text.splitlines())


def read(path: Path, device: DeviceSpec | None = None) -> CounterReport:
    """Shares of samples as stall_* readings: for each kernel where a kernel trace lies beside the samples,
    else for each dispatch. Raises UnreadableProfileError."""
    files = sorted(f for f in path.glob("*.csv") if _SUFFIX.search(f.name)) if path.is_dir() else [path]
    launches: list[Launch] = []
    for file in files:
        rows = _samples(file)
        trace = _trace(file, rows)
        groups: dict[str, list[Row]] = {}
        for row in rows:
            of = trace.get(row["Dispatch_Id"])
            groups.setdefault(of["Kernel_Name"] if of else f"dispatch {row['Dispatch_Id']}", []).append(row)
        for name, found in groups.items():
            launches.append(_launch(len(launches), name, found, trace, device))
    return CounterReport(
        tool="rocprofv3",
        launches=tuple(launches),
        notes=("PC samples: shares of where waves stood, no counters",),
    )


def _samples(file: Path) -> list[Row]:
    table = read_table(file, _SAMPLES)
    if table is None:
        raise UnreadableProfileError(f"{file} is no table of rocprofv3's PC samples.")
    rows = [row for row in table.rows if whole(row["Dispatch_Id"]) is not None and row["Instruction"]]
    if not rows:
        raise UnreadableProfileError(
            f"{file} has no sample: the kernels were too short; shorten --pc-sampling-interval or run them "
            "longer."
        )
    return rows


def _trace(file: Path, samples: Sequence[Row]) -> Mapping[str, Row]:
    """The kernel trace of the same run by dispatch: every sample falls into the time of its dispatch."""
    beside = file.with_name(_SUFFIX.sub("kernel_trace.csv", file.name))
    table = read_table(beside, _TRACE) if beside.is_file() else None
    known = {row["Dispatch_Id"]: row for row in table.rows} if table else {}
    return known if all(_during(row, known.get(row["Dispatch_Id"])) for row in samples) else {}


def _during(sample: Row, ran: Row | None) -> bool:
    stamps = [sample["Sample_Timestamp"], *((ran["Start_Timestamp"], ran["End_Timestamp"]) if ran else ())]
    at, *span = (whole(stamp) for stamp in stamps)
    if at is None or len(span) != 2 or span[0] is None or span[1] is None:
        return False
    return span[0] - _CLOCK_SLACK_NS <= at <= span[1] + _CLOCK_SLACK_NS


def _launch(
    index: int, name: str, rows: Sequence[Row], trace: Mapping[str, Row], device: DeviceSpec | None
) -> Launch:
    told = rows[0].keys() >= _REASONS
    tally = Counter(_reason(row) if told else _place(row["Instruction"]) for row in rows)
    keys = _KEYS if told else tuple(key for _, key in _BY_PLACE)
    source = "Stall_Reason, Instruction" if told else "Instruction"
    readings = {key: Reading(tally[key] / len(rows), source) for key in keys}
    ran = {row["Dispatch_Id"] for row in rows}
    times = [
        duration_ns(trace[n]["Start_Timestamp"], trace[n]["End_Timestamp"])[0] for n in ran if n in trace
    ]
    if times and None not in times:
        middle = median(time for time in times if time is not None)
        readings["duration"] = Reading(middle, "End_Timestamp, Start_Timestamp")
    return Launch(
        index=index,
        kernel=function_name(name),
        readings=readings,
        device_name=device.name if device else None,
        arch=device.target if device else None,
        flags=() if len(rows) >= _ENOUGH else (f"{len(rows)} samples are few: shares are rough",),
    )


def _reason(row: Row) -> str:
    """Why a sampled wave did not issue; issued ones carry a reason too, which means nothing."""
    if row["Wave_Issued_Instruction"] == "1":
        return "stall_selected"
    reason = row["Stall_Reason"].rpartition("_REASON_")[2]
    if reason in _BY_REASON:
        return _BY_REASON[reason]
    table = {"WAITCNT": _WAITS, "ARBITER_WIN_EX_STALL": _BUSY}.get(reason, ())
    return _first(table, row["Instruction"])


def _place(instruction: str) -> str:
    return _first(_BY_PLACE, instruction)


def _first(table: Sequence[tuple[re.Pattern[str], str]], instruction: str) -> str:
    return next((key for pattern, key in table if pattern.search(instruction)), _OTHER)
