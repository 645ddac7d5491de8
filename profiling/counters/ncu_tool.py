"""Where Nsight Compute's command line tool is, and how it turns a report into CSV."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_tool() -> Path | None:
    """ncu by KBGEN_NCU, on the search path, or where the CUDA toolkit and Nsight Compute install it."""
    if asked := os.environ.get("KBGEN_NCU"):
        return Path(asked) if os.access(asked, os.X_OK) else None
    homes = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda"]
    places = [os.environ.get("PATH", ""), *(f"{home}/bin" for home in homes if home)]
    if found := shutil.which("ncu", path=os.pathsep.join(places)):
        return Path(found)
    return max(Path("/opt/nvidia/nsight-compute").glob("*/ncu"), default=None)


def export_line(tool: Path, report: Path, page: str) -> list[str]:
    """The report as CSV: page "raw" has a row a launch, "details" the tool's rules too. Needs no card."""
    options = ["--csv", "--page", page, "--print-units", "base"]
    return [str(tool), "--config-file", "off", "--import", str(report), *options]
