"""Finds the tables that rocprofv3 left in a folder, pass by pass, and the GPU that they are of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...hardware_specs.device import DeviceSpec
from .dispatch import Agent, agent
from .rocm_csv import number, read_table

COUNTERS = frozenset({"Dispatch_Id", "Kernel_Name", "Counter_Name", "Counter_Value"})
TRACE = frozenset({"Dispatch_Id", "Kernel_Name", "Start_Timestamp", "End_Timestamp", "Workgroup_Size_X"})
_AGENTS = frozenset({"Node_Id", "Agent_Type", "Name", "Cu_Count"})
_SUFFIXES = {"counter_collection.csv": "counters", "kernel_trace.csv": "trace", "agent_info.csv": "agents"}
_PASS = re.compile(r"(pmc|pass)_(\d+)")
_DEPTH = 4  # pass_1/hostname/pid/file: deeper is somebody's whole disk

Row = Mapping[str, str]


@dataclass(frozen=True)
class Run:
    """The files of one process in one pass."""

    number: int  # of the pass, 0 where there is but one
    counters: Path | None = None
    trace: Path | None = None
    agents: Path | None = None


def runs_in(folder: Path) -> list[Run]:
    """The runs with counters below a folder; those with a trace alone where none has."""
    found: dict[tuple[Path, str], dict[str, Path]] = {}
    files = (file for depth in range(_DEPTH) for file in sorted(folder.glob("*/" * depth + "*.csv")))
    for file in files:
        for suffix, kind in _SUFFIXES.items():
            if file.name.endswith(suffix):
                found.setdefault((file.parent, file.name.removesuffix(suffix)), {})[kind] = file
    runs = [
        Run(_pass_number(place, folder), of.get("counters"), of.get("trace"), of.get("agents"))
        for (place, _), of in found.items()
    ]
    return [run for run in runs if run.counters] or [run for run in runs if run.trace]


def _pass_number(place: Path, folder: Path) -> int:
    matches = [_PASS.fullmatch(part) for part in place.relative_to(folder).parts]
    return next((int(match[2]) for match in matches if match), 0)


def run_of(file: Path) -> Run:
    """A single file with its own agent_info.csv, or the only one of its folder."""
    kind = "counters" if read_table(file, COUNTERS) else "trace"
    prefix = next((file.name.removesuffix(s) for s in _SUFFIXES if file.name.endswith(s)), "")
    own = file.with_name(f"{prefix}agent_info.csv")
    others = sorted(file.parent.glob("*agent_info.csv"))
    agents = own if own.is_file() else others[0] if len(others) == 1 else None
    return Run(0, file, None, agents) if kind == "counters" else Run(0, None, file, agents)


def gpu_of(files: Iterable[Path], ids: Sequence[str], device: DeviceSpec | None) -> Agent:
    """The GPU that the dispatches ran on, by agent_info.csv; the sheet alone where there is none."""
    cards = [row for file in files for row in _gpus(file)]
    wanted = {re.sub(r"\D", "", text) for text in ids if text}
    named = [row for row in cards if row.get("Node_Id") in wanted] or [
        row for row in cards if row.get("Logical_Node_Id") in wanted
    ]
    kinds = {(row.get("Name"), row.get("Cu_Count"), row.get("Num_Xcc")): row for row in named or cards}
    if len(kinds) != 1:
        return agent(None, None, {}, device)
    row = next(iter(kinds.values()))
    simds, slots = number(row.get("Simd_Per_Cu")), number(row.get("Max_Waves_Per_Simd"))
    stated = {
        "cus": number(row.get("Cu_Count")),
        "simds_per_cu": simds,
        "waves_per_cu": simds * slots if simds and slots else None,
        "xcds": number(row.get("Num_Xcc")),
    }
    return agent(
        row.get("Product_Name") or None,
        row.get("Name") or None,
        {name: value for name, value in stated.items() if value},
        device,
    )


def _gpus(file: Path) -> list[Row]:
    table = read_table(file, _AGENTS)
    return [row for row in table.rows if row.get("Agent_Type") == "GPU"] if table else []
