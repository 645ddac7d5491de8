"""Runs rocprofv3 on a command, once for each group of counters that its card counts together.

Written after rocprofiler-sdk's documentation and the files that it published, and tried on a stand-in for the
tool: it never ran on a card.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import rocprofv3
from .amd import NO_COUNTERS, amd_map, chip_of
from .counter_groups import formulas_of, passes_of
from .record import CounterReport
from .refusals import CountersRefused, Refusal, missing_tool, timed_out

_LIST_LIMIT_S = 60.0
_PERMISSION = re.compile(
    r"could not be locked for profiling|SYS_PERFMON|CAP_PERFMON|perf_event_paranoid", re.I
)
_PERMISSION_FLAG = (
    "the driver could not lock the counters for this user, so they may be inaccurate: run as root or with "
    "CAP_PERFMON, or set kernel.perf_event_paranoid to 2 or less"
)


@dataclass(frozen=True)
class _Pass:
    """What one run left: `counted` and `traced` say which tables it wrote."""

    code: int
    output: str
    counted: bool
    traced: bool


def find_tool() -> Path | None:
    """rocprofv3 by KBGEN_ROCPROFV3, on the search path, or where ROCm is installed."""
    asked = os.environ.get("KBGEN_ROCPROFV3")
    if asked:
        return Path(asked) if os.access(asked, os.X_OK) else None
    homes = [os.environ.get("ROCM_PATH", ""), "/opt/rocm"]
    places = [os.environ.get("PATH", ""), *(f"{home}/bin" for home in homes if home)]
    found = shutil.which("rocprofv3", path=os.pathsep.join(places))
    return Path(found) if found else None


def available(tool: Path) -> frozenset[str]:
    """The counters that `rocprofv3 -L` lists for the cards here; empty where it does not tell. One that a
    pass asks for in vain can cost the whole pass, with exit code 0."""
    try:
        done = subprocess.run(
            [str(tool), "-L"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=_LIST_LIMIT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return listed(done.stdout)


def listed(text: str) -> frozenset[str]:
    """The names in what `rocprofv3 -L` prints."""
    return frozenset(re.findall(r"^\s*Counter_Name\s*:\s*(\w+)", text, re.MULTILINE))


def passes_for(arch: str, full: bool, known: Collection[str] = ()) -> tuple[tuple[str, ...], ...]:
    """The counters to ask of a chip, pass by pass, of those `known` (empty: all); empty for a chip without
    formulas."""
    table = amd_map()
    return passes_of(formulas_of(table.keys if full else table.quick, arch, known)) if chip_of(arch) else ()


def command_line(
    tool: Path,
    counters: Sequence[str],
    command: Sequence[str],
    folder: Path,
    *,
    kernel: str | None,
    launches: str,
) -> list[str]:
    """One pass. The trace beside the counters gives sizes in three dimensions, and times on old tools."""
    options = ["--pmc", *counters, "--kernel-trace", "--output-format", "csv"]
    if kernel:
        options += ["--kernel-include-regex", kernel]
    options += ["--kernel-iteration-range", launches, "-d", str(folder), "-o", "run"]
    return [str(tool), *options, "--", *command]


def collect_rocprof(
    command: Sequence[str],
    *,
    arch: str | None,
    kernel: str | None = None,
    full: bool = True,
    skip: int = 0,
    count: int = 20,
    scratch: Path,
    timeout_s: float = 600.0,
    tool: Path | None = None,
) -> CounterReport:
    """Counters of the launches of kernels that match the regular expression `kernel`, for each kernel after
    `skip` of its launches at most `count`. The command runs once for each pass, `timeout_s` each time.

    Leaves pass_N/ and output.txt in `scratch`/rocprofv3. CountersRefused says why there is nothing.
    """
    tool = tool or find_tool()
    if tool is None:
        raise CountersRefused(missing_tool("rocprofv3"))
    groups = passes_for(arch or "", full, available(tool) if chip_of(arch) else ())
    if not groups:
        raise CountersRefused(_unknown_chip(arch))
    home = scratch / "rocprofv3"
    shutil.rmtree(home, ignore_errors=True)
    launches = f"[{skip + 1}-{skip + count}]"
    runs: list[_Pass] = []
    for number, counters in enumerate(groups, 1):
        folder = home / f"pass_{number}"
        folder.mkdir(parents=True)
        line = command_line(tool, counters, command, folder, kernel=kernel, launches=launches)
        runs.append(_pass(line, folder, timeout_s))
        if not (runs[-1].counted or runs[-1].traced):
            break
    (home / "output.txt").write_text("\n".join(run.output for run in runs), encoding="utf-8")
    if not any(run.counted for run in runs):
        raise CountersRefused(_why_none(runs[-1], kernel))
    return _report(home, runs, groups)


def _report(home: Path, runs: Sequence[_Pass], groups: Sequence[Sequence[str]]) -> CounterReport:
    """What the passes say together, with what they did not count and how far they may be trusted."""
    found = rocprofv3.read(home)
    if all(any(NO_COUNTERS in flag for flag in launch.flags) for launch in found.launches):
        raise CountersRefused(_only_zeros(found))
    asked = {name for group in groups for name in group}
    missing = sorted(asked - rocprofv3.counter_names(home))
    notes = (f"asked for and not counted: {', '.join(missing)}",) if missing else ()
    if len(runs) < len(groups):
        notes = (
            *notes,
            f"the program ended without a kernel in pass {len(runs)} of {len(groups)}: {_last(runs[-1])}",
        )
    if not any(_PERMISSION.search(run.output) for run in runs):
        return replace(found, notes=(*found.notes, *notes))
    launches = tuple(replace(one, flags=(*one.flags, _PERMISSION_FLAG)) for one in found.launches)
    return replace(found, launches=launches, notes=(*found.notes, *notes))


def _pass(line: Sequence[str], folder: Path, limit_s: float) -> _Pass:
    """Run one pass; past the limit the tool and what it started are ended, by their group."""
    try:
        process = subprocess.Popen(
            line,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise CountersRefused(
            Refusal(str(error), f"{line[0]} does not start ({error.strerror})", "reinstall rocprofiler-sdk")
        ) from None
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise CountersRefused(timed_out(limit_s)) from None
    counted, traced = (any(folder.rglob(f"*{name}.csv")) for name in ("counter_collection", "kernel_trace"))
    return _Pass(process.returncode, output, counted, traced)


def _why_none(run: _Pass, kernel: str | None) -> Refusal:
    """Why a pass has no counters, from whether it failed and whether it saw any kernel."""
    if run.traced:
        return Refusal(
            "kernels traced, no counter_collection.csv",
            "rocprofv3 saw kernels and counted none"
            + (f" that match {kernel!r}" if kernel else ": this card or driver lacks the counters"),
            "compare --kernel with the names in the kernel trace"
            if kernel
            else "see what `rocprofv3 -L` lists for the card, and update ROCm",
        )
    if run.code:
        return Refusal(
            _last(run),
            f"rocprofv3 ended with code {run.code} and left no table ({_last(run)})",
            "check that the command runs without the profiler",
        )
    return Refusal(
        "no kernel_trace.csv, exit code 0",
        "the program ended well and launched no kernel on an AMD card",
        "give a program that launches one; inside a container pass /dev/kfd and /dev/dri to it",
    )


def _only_zeros(found: CounterReport) -> Refusal:
    arch = next((launch.arch for launch in found.launches if launch.arch), "this card")
    return Refusal(
        f"{len(found.launches)} launches, every counter 0",
        f"{arch} gives no counters: all read 0, as is known of discrete RDNA3 and RDNA4 cards",
        "diagnose by timing and compiled code there, or count on a CDNA card (MI200 and later)",
    )


def _unknown_chip(arch: str | None) -> Refusal:
    return Refusal(
        f"arch {arch}",
        f"kbgen has no counter formulas for {arch or 'this card'}",
        f"profile on one of {', '.join(amd_map().chips)}, or bring a rocprof-compute folder of the kernel",
    )


def _last(run: _Pass) -> str:
    lines = [line.strip() for line in run.output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it said nothing"
