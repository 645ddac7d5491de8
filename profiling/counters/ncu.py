"""Runs Nsight Compute: finds it, asks it what it can count, profiles a command, exports the report as CSV.

One run writes a report, text is made from it afterwards. Clocks are left as they are found, so that times
compare with those taken without the profiler; caches are flushed before each pass, so that every pass sees
the same.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from . import nvidia
from .ncu_tool import export_line, find_tool
from .read import read_profile
from .record import CounterReport
from .refusals import CountersRefused, Refusal, missing_tool, no_rows, recognise, timed_out
from .textfile import UnreadableProfileError

_EXPORT_LIMIT_S = 300.0
_QUERY_LIMIT_S = 60.0
_CHIPS = {
    "sm_70": "gv100", "sm_75": "tu102", "sm_80": "ga100", "sm_86": "ga102", "sm_87": "ga10b",
    "sm_89": "ad102", "sm_90": "gh100", "sm_100": "gb100", "sm_103": "gb110", "sm_120": "gb202",
    "sm_121": "gb20b",
}  # fmt: skip
_QUICK_SECTIONS = ("LaunchStats", "Occupancy")


@dataclass(frozen=True)
class Request:
    """What to count and of which launches. `kernel` is a regular expression on the function's name; `skip`
    and `count` apply after it. `ranged`: only between cudaProfilerStart and cudaProfilerStop; `nvtx`: only in
    the push/pop range of that name, of the default domain."""

    kernel: str | None = None
    full: bool = True
    skip: int = 0
    count: int | None = None
    ranged: bool = False
    nvtx: str | None = None
    timeout_s: float = 600.0


@dataclass(frozen=True)
class Selection:
    """Metrics and sections to ask for, and sentences on what cannot be had."""

    metrics: tuple[str, ...]
    sections: tuple[str, ...]
    notes: tuple[str, ...] = ()


def tool_version(tool: Path) -> str | None:
    """Such as "2025.3.1.4"; None when it does not say."""
    said = _said([str(tool), "--version"], _QUERY_LIMIT_S)
    found = re.search(r"\bVersion (\d+(?:\.\d+)+)", said)
    return found[1] if found else None


@lru_cache(maxsize=8)
def countable(tool: Path, chip: str) -> frozenset[str]:
    """The counters that this tool knows on this chip, without suffixes; empty when it does not tell. Needs
    neither a card nor a driver."""
    said = _said([str(tool), "--config-file", "off", "--query-metrics", "--chips", chip], _QUERY_LIMIT_S)
    names = frozenset(re.findall(r"^\s*([a-z0-9]+__\w+)", said, re.MULTILINE))
    return names if "gpu__time_duration" in names else frozenset()  # else a list of another kind


@lru_cache(maxsize=8)
def known_sections(tool: Path) -> frozenset[str]:
    """The identifiers of the sections that this tool has; empty when it does not tell."""
    said = _said([str(tool), "--config-file", "off", "--list-sections"], _QUERY_LIMIT_S)
    names = frozenset(re.findall(r"^\s*([A-Z]\w+)\s{2,}", said, re.MULTILINE))
    return names if "SpeedOfLight" in names else frozenset()


def _names(key: str, family: str | None) -> tuple[str, ...]:
    """What the chip counts for this key, () where the tool computes it in its sections."""
    return nvidia.metric_names(key, family) if nvidia.asked((key,), family) else ()


def selection(tool: Path, arch: str | None, full: bool) -> Selection:
    """What to ask of this tool for this architecture: the first name of each key that it knows."""
    family, chip = nvidia.family(arch), _CHIPS.get((arch or "").removesuffix("a"))
    known = countable(tool, chip) if chip else frozenset()
    names, dropped = list[str](), list[str]()
    for key in nvidia.full() if full else nvidia.quick():
        candidates = _names(key, family)
        chosen = next((name for name in candidates if not known or name.split(".")[0] in known), None)
        if chosen is not None:
            names.append(chosen)
        elif candidates:
            dropped.append(key)
    had = known_sections(tool)
    sections = tuple(
        name for name in (nvidia.sections() if full else _QUICK_SECTIONS) if not had or name in had
    )
    notes = (f"this ncu does not count on {chip}: {', '.join(dropped)}",) if dropped else ()
    return Selection(tuple(dict.fromkeys(names)), sections, notes)


def command_line(
    tool: Path, report: Path, subject: Sequence[str], request: Request, selected: Selection
) -> list[str]:
    """The collection: kernel replay, clocks as found, cold caches, child processes included."""
    options = ["--config-file", "off", "--target-processes", "all", "--replay-mode", "kernel"]
    options += ["--clock-control", "none", "--cache-control", "all", "--kernel-name-base", "function"]
    if request.kernel:
        options += ["-k", f"regex:{request.kernel}"]
    if request.skip:
        options += ["-s", str(request.skip)]
    if request.count is not None:
        options += ["-c", str(request.count)]
    if request.ranged:
        options += ["--profile-from-start", "off"]
    if request.nvtx:
        options += ["--nvtx", "--nvtx-include", f"{request.nvtx}/"]  # a push/pop range ends in a slash
    options += ["--metrics", ",".join(selected.metrics)]
    for section in selected.sections:
        options += ["--section", section]
    return [str(tool), *options, "-f", "-o", str(report), *subject]


def collect_ncu(
    subject: Sequence[str],
    request: Request = Request(),
    *,
    arch: str | None,
    scratch: Path,
    tool: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> CounterReport:
    """Run `subject` under ncu and read what it counted; CountersRefused says why there is nothing.

    Leaves report.ncu-rep, raw.csv, details.csv (full set) and output.txt in `scratch`.
    """
    tool = tool or find_tool()
    if tool is None:
        raise CountersRefused(missing_tool("ncu"))
    scratch.mkdir(parents=True, exist_ok=True)
    selected = selection(tool, arch, request.full)
    notes = selected.notes
    report = scratch / "report.ncu-rep"
    report.unlink(missing_ok=True)
    line = command_line(tool, report.with_suffix(""), subject, request, selected)
    code, output = _run(line, _environment(scratch, environment), request.timeout_s)
    (scratch / "output.txt").write_text(output, encoding="utf-8")
    refusal = recognise(output)
    if not report.exists():
        raise CountersRefused(refusal or _unexplained(code, output))
    _export(tool, report, scratch)
    try:
        found = read_profile(scratch / "raw.csv")
    except UnreadableProfileError:
        raise CountersRefused(refusal or no_rows(report.name)) from None
    if request.full:
        found = _with_remarks(found, scratch / "details.csv")
    if refusal is not None:
        notes = (*notes, f"some launches were not counted: {refusal.meaning}")
    return replace(found, tool_version=found.tool_version or tool_version(tool), notes=(*found.notes, *notes))


def _export(tool: Path, report: Path, scratch: Path) -> None:
    """raw.csv and details.csv of the report."""
    for page in ("raw", "details"):
        text = _said(export_line(tool, report, page), _EXPORT_LIMIT_S)
        (scratch / f"{page}.csv").write_text(text, encoding="utf-8")


def _with_remarks(found: CounterReport, details: Path) -> CounterReport:
    """The launches with what the tool's rules say of them on the details page."""
    try:
        spoken = {launch.index: launch.remarks for launch in read_profile(details).launches}
    except UnreadableProfileError:
        return replace(found, notes=(*found.notes, "the tool's own rules could not be read"))
    launches = tuple(
        replace(launch, remarks=launch.remarks or spoken.get(launch.index, ())) for launch in found.launches
    )
    return replace(found, launches=launches)


def _environment(scratch: Path, extra: Mapping[str, str] | None) -> dict[str, str]:
    """The C locale for plain numbers, and a temporary folder of our own for the tool's lock file."""
    temporary = scratch / "tmp"
    temporary.mkdir(exist_ok=True)
    return {**os.environ, "LC_ALL": "C", "TMPDIR": str(temporary), **(extra or {})}


def _run(line: Sequence[str], environment: Mapping[str, str], limit_s: float) -> tuple[int, str]:
    """Exit code and output; past the limit the tool and what it started are ended, by their group."""
    try:
        process = subprocess.Popen(
            line, env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise CountersRefused(
            Refusal(str(error), f"{line[0]} does not start ({error.strerror})", "reinstall Nsight Compute")
        ) from None
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise CountersRefused(timed_out(limit_s)) from None
    return process.returncode, output


def _said(line: Sequence[str], limit_s: float) -> str:
    """What a command prints on its standard output; empty when it fails to start or to end."""
    try:
        done = subprocess.run(
            line, env={**os.environ, "LC_ALL": "C"}, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=limit_s, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _unexplained(code: int, output: str) -> Refusal:
    last = next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "it said nothing")
    return Refusal(
        last[:300],
        f"ncu ended with code {code} and left no report ({last[:200]})",
        "check that the command runs without the profiler",
    )
