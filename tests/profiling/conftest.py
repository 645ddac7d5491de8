"""A stand-in for ncu: an executable that answers questions from files, and leaves the report it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

HEADER = (
    '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size",'
    '"Device","CC"'
)
LAUNCH = '"{index}","10","python3","127.0.0.1","{kernel}","1","7","(256, 1, 1)","(132, 1, 1)","0","9.0"'
SECTIONS = """\
---------------- ------------------------- ------- ------------------------------
Identifier       Display Name              Enabled Filename
---------------- ------------------------- ------- ------------------------------
SpeedOfLight     GPU Speed Of Light        yes     /opt/sections/SpeedOfLight.section
LaunchStats      Launch Statistics         yes     /opt/sections/LaunchStatistics.section
Occupancy        Occupancy                 yes     /opt/sections/Occupancy.section
"""
METRICS = """\
Device NVIDIA GH100 (GH100)
-------------------------------- ---------- ------- ------------------
Metric Name                      Metric Type Metric Unit Metric Description
gpu__time_duration               Counter     nsecond     # of nanoseconds
sm__throughput                   Throughput  percent     SM throughput
dram__bytes                      Counter     byte        # of bytes accessed in DRAM
"""
_SCRIPT = """#!/bin/sh
cd '{folder}'
echo "$*" >> asked
case "$*" in
  *--version*) cat version ;;
  *--list-sections*) cat sections ;;
  *--query-metrics*) cat metrics ;;
  *"--page raw"*) cat raw ;;
  *"--page details"*) cat details ;;
  *) printenv LC_ALL TMPDIR > environment
     while [ "$1" != -o ]; do shift; done
     sleep {sleep_s}
     cat output
     [ -s raw ] && echo report > "$2.ncu-rep"
     exit {code} ;;
esac
"""


class FakeNcu:
    """Profiling prints `output` and leaves a report where `raw` is not empty; pages are `raw`, `details`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tool = folder / "ncu"
        folder.mkdir()
        self.says()

    def says(
        self,
        *,
        output: str = "",
        raw: str = "",
        details: str = "",
        code: int = 0,
        sleep_s: float = 0,
        metrics: str = METRICS,
    ) -> Path:
        """Make it answer so from now on; returns the executable."""
        version = "NVIDIA (R) Nsight Compute Command Line Profiler\nVersion 2025.3.1.0 (build 36398880)\n"
        files = {"output": output, "raw": raw, "details": details, "version": version, "metrics": metrics}
        for name, text in {**files, "sections": SECTIONS}.items():
            (self.folder / name).write_text(text)
        self.tool.write_text(_SCRIPT.format(folder=self.folder, code=code, sleep_s=sleep_s))
        self.tool.chmod(0o755)
        return self.tool

    def asked(self) -> list[str]:
        """The arguments of its runs so far, a line each."""
        return (self.folder / "asked").read_text().splitlines()

    def environment(self) -> list[str]:
        """LC_ALL and TMPDIR of the profiling run."""
        return (self.folder / "environment").read_text().splitlines()

    def pages(self, *kernels: str) -> dict[str, str]:
        """The raw and the details page of these launches, as `says` takes them."""
        return {"raw": raw_page(*kernels), "details": details_page(*kernels)}


@pytest.fixture
def fake_ncu(tmp_path: Path) -> FakeNcu:
    """An ncu that says nothing yet."""
    return FakeNcu(tmp_path / "fake")


def raw_page(*kernels: str) -> str:
    """A raw page with a row a kernel: its time, its DRAM share, its units."""
    names = ("gpu__time_duration.sum", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
    lines = [",".join([HEADER, *(f'"{name}"' for name in names)]), ",".join(['""'] * 11 + ['"ns"', '"%"'])]
    for index, kernel in enumerate(kernels):
        lines.append(f'{LAUNCH.format(index=index, kernel=kernel)},"5000","61.8"')
    return "\n".join(lines) + "\n"


def details_page(*kernels: str) -> str:
    """A details page with one metric and one rule a kernel."""
    columns = ("Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type")
    more = ("Rule Description", "Estimated Speedup Type", "Estimated Speedup")
    lines = [",".join([HEADER, *(f'"{name}"' for name in (*columns, *more))])]
    for index, kernel in enumerate(kernels):
        launch = LAUNCH.format(index=index, kernel=kernel)
        lines.append(f'{launch},"GPU Speed Of Light Throughput","Duration","ns","5000"')
        lines.append(
            f'{launch},"SpeedOfLight","","","","SOLBottleneck","OPT","Memory is used more.","global","20.5"'
        )
    return "\n".join(lines) + "\n"
