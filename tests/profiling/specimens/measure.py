"""Profiles and times every specimen on the live card, and leaves what the tests keep of it.

    python tests/profiling/specimens/measure.py OUT [NAME ...]

Writes OUT/raw.csv and OUT/details.csv (one launch of each, in the manifest's order, under ncu), level_b.json
(times and compiled code, without counters), machine.json (card, driver, tools, clocks), problems.txt. ncu
sees this script again with --launch, timing with --time; a specimen that fails there is left out and named.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
_SAMPLES = 30
_TIMING_LIMIT_S = 90


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--launch", type=Path, help="only launch, with the cubins of this folder")
    parser.add_argument("--time", type=Path, help="only time, with the cubins of this folder")
    asked = parser.parse_args()
    names = asked.names or list(yaml.safe_load((HERE / "manifest.yaml").read_text()))
    if asked.launch:
        _launch_all(names, asked.launch, asked.out)
    elif asked.time:
        _time_all(names, asked.time, asked.out)
    else:
        _measure(names, asked.out)


def _measure(names: list[str], out: Path) -> None:
    from driver import build

    from kbgen.profiling.probe import SystemProbe

    out.mkdir(parents=True, exist_ok=True)
    started, probe = time.monotonic(), SystemProbe()
    facts, before = probe.facts(), probe.clocks()
    cubins = out / "build"
    cubins.mkdir(exist_ok=True)
    (cubins / "ptxas.log").write_text(build(cubins, facts.arch))
    _say(f"built in {time.monotonic() - started:.0f} s")
    again = [sys.executable, str(Path(__file__).resolve()), str(out.resolve()), *names]
    tool = _profile([*again, "--launch", str(cubins.resolve())], out, facts.arch)
    _say(f"profiled after {time.monotonic() - started:.0f} s")
    try:
        subprocess.run([*again, "--time", str(cubins.resolve())], check=False, timeout=_TIMING_LIMIT_S)
    except subprocess.TimeoutExpired:
        _problem(out, "timing", f"it did not end within {_TIMING_LIMIT_S} s")
    _say(f"timed after {time.monotonic() - started:.0f} s")
    states = [before, probe.clocks()]
    machine = {"card": vars(facts), "clocks": [state and vars(state) for state in states], "ncu": tool}
    (out / "machine.json").write_text(json.dumps(machine, indent=1))


def _profile(command: list[str], out: Path, arch: str) -> str | None:
    """Through the product's own collection; where that fails, ncu's full set is left for a look."""
    from kbgen.profiling.counters import ncu
    from kbgen.profiling.counters.ncu_tool import find_tool

    tool = find_tool()
    assert tool is not None, "ncu is not on this machine"
    for name, question in (
        ("metrics", ["--query-metrics", "--chips", "gh100"]),
        ("sections", ["--list-sections"]),
    ):
        said = subprocess.run([str(tool), *question], capture_output=True, text=True, check=False).stdout
        (out / f"{name}.txt").write_text(said)
    request = ncu.Request(kernel="^specimen_", full=True, ranged=True, timeout_s=220)
    try:
        report = ncu.collect_ncu(command, request, arch=arch, scratch=out)
    except Exception:
        _problem(out, "collecting", traceback.format_exc())
        _full_set(tool, command, out)
        return ncu.tool_version(tool)
    for note in report.notes:
        _say(note)
    for launch in report.launches:
        shown = {key: launch.value(key) for key in ("duration", "sm_pct", "mem_pct", "dram_pct")}
        _say(f"{launch.index:3} {launch.kernel:34} {shown} {len(launch.readings)} readings")
    return ncu.tool_version(tool)


def _full_set(tool: Path, command: list[str], out: Path) -> None:
    place = out / "full.ncu-rep"
    line = [str(tool), "--set", "full", "--clock-control", "none", "-k", "regex:^specimen_"]
    line += ["--profile-from-start", "off", "--target-processes", "all", "-f", "-o", str(place), *command]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=240)
    (out / "full.txt").write_text(done.stdout + done.stderr)
    for page in ("raw", "details"):
        told = [str(tool), "--import", str(place), "--csv", "--page", page, "--print-units", "base"]
        said = subprocess.run(told, capture_output=True, text=True, check=False).stdout
        (out / f"{page}.csv").write_text(said)


def _launch_all(names: list[str], cubins: Path, out: Path) -> None:
    """One launch of each, warmed up, alone between the profiler's start and stop."""
    for name, specimen in _specimens(names, cubins, out):
        import torch

        try:
            specimen.launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()  # type: ignore[no-untyped-call]
            specimen.launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()  # type: ignore[no-untyped-call]
        except Exception:
            _problem(out, f"launching {name}", traceback.format_exc())


def _time_all(names: list[str], cubins: Path, out: Path) -> None:
    import torch

    from kbgen.profiling.clock import CudaClock
    from kbgen.profiling.interval import median
    from kbgen.profiling.probe import SystemProbe
    from kbgen.profiling.window import device_window

    probe = SystemProbe()
    clock = CudaClock(probe.facts().l2_bytes, probe.clocks)
    found = {}
    for name, specimen in _specimens(names, cubins, out):
        try:
            returned = specimen.launch()
            torch.cuda.synchronize()
            times = [device_window(clock, specimen.launch)[0].device_us for _ in range(_SAMPLES)]
            middle = median(times)
            found[name] = {
                "time_us": middle.value, "interval_us": [middle.low, middle.high], "samples": len(times),
                "grid": list(specimen.grid), "threads_per_block": specimen.threads, "flops": specimen.flops,
                "bytes_min": specimen.bytes_min, "compute_kind": specimen.kind,
                **_compiled(name, specimen, returned, cubins),
            }  # fmt: skip
            _say(f"{name:24} {middle.value:10.1f} us")
        except Exception:
            _problem(out, f"timing {name}", traceback.format_exc())
        (out / "level_b.json").write_text(json.dumps(found, indent=1))


def _compiled(name: str, specimen: Any, returned: Any, cubins: Path) -> dict[str, Any]:
    """Resources and instructions of the compiled code: ptxas' and triton's figures, and the PTX."""
    from driver import resources

    from kbgen.profiling.isa import read_ptx

    if returned is None:
        known = resources((cubins / "ptxas.log").read_text())[f"specimen_{name}"]
        ptx = _entry(name, cubins)
    else:
        known = {
            "registers": returned.n_regs, "barriers": 1, "shared_bytes": returned.metadata.shared,
            "spill_bytes": 4 * returned.n_spills,
        }  # fmt: skip
        ptx = returned.asm["ptx"]
    known["shared_bytes"] += specimen.shared_dynamic
    return {**known, **vars(read_ptx(ptx))}


def _entry(name: str, cubins: Path) -> str:
    """The PTX of one kernel, without the functions that it calls."""
    for file in sorted(cubins.glob("*.ptx")):
        found = re.search(rf"\.entry specimen_{name}\(.*?^}}", file.read_text(), re.DOTALL | re.MULTILINE)
        if found:
            return found[0]
    raise KeyError(name)


def _specimens(names: list[str], cubins: Path, out: Path) -> Any:
    import torch
    from driver import SOURCES, Module
    from shelf import Shelf

    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    shelf = Shelf(Module([cubins / f"{source}.cubin" for source in SOURCES]))
    for name in names:
        try:
            specimen = shelf.make(name)
        except Exception:
            _problem(out, f"making {name}", traceback.format_exc())
            continue
        yield name, specimen
        del specimen
        torch.cuda.empty_cache()


def _problem(out: Path, what: str, detail: str) -> None:
    with (out / "problems.txt").open("a") as file:
        file.write(f"{what}:\n{detail}\n")
    _say(f"{what} failed: {detail.strip().splitlines()[-1]}")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    main()
