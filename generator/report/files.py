"""Writes what a run leaves in the output folder: the kernel file, report.md and report.json."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..job import OptimizeResult
from . import json_report, markdown


def write_files(result: OptimizeResult, recorded: str | None, judged: Any, out: Path) -> OptimizeResult:
    """Write the files and return the result with their paths; the kernel only if it passed."""
    out.mkdir(parents=True, exist_ok=True)
    candidate = None
    if judged.chosen is not None:
        candidate = out / f"{result.op}_optimized.py"
        part = candidate.with_name(candidate.name + ".part")
        part.write_text(judged.chosen.candidate.source, encoding="utf-8")
        os.replace(part, candidate)
    report = out / "report.md"
    result = replace(
        result,
        recorded=recorded,
        candidate_path=str(candidate) if candidate else None,
        report_path=str(report),
    )
    markdown.write(report, result.to_json())
    json_report.write(out / "report.json", "optimize", result.to_json())
    return result
