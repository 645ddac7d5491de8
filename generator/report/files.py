"""Writes what a run leaves in the output folder: the kernel file, report.md and report.json."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import KbgenError
from ..job import OptimizeResult
from . import json_report, markdown
from .heading import headed


class OutFolderError(KbgenError):
    """The folder for the results cannot be written."""


def open_folder(out: Path) -> None:
    """Make the folder and write to it, so that a bad one is told before the search and not after it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise OutFolderError(
            f"nothing can be written to {out} ({error.strerror}); give --out a folder you can write."
        ) from error


def write_files(result: OptimizeResult, recorded: str | None, judged: Any, out: Path) -> OptimizeResult:
    """Write the files and return the result with their paths; no kernel that the judge refused."""
    path = out / f"{result.op}_optimized.py"
    candidate = path if judged.chosen is not None else None
    if candidate is not None:
        write_whole(candidate, headed(judged.chosen.candidate.source, result.to_json()))
    else:
        path.unlink(missing_ok=True)  # an older run's kernel would pass for this one's
    report = out / "report.md"
    result = replace(
        result,
        recorded=recorded,
        candidate_path=str(candidate) if candidate else None,
        report_path=str(report),
    )
    write_whole(report, markdown.render(result.to_json()))
    json_report.write(out / "report.json", "optimize", result.to_json())
    return result


def write_whole(path: Path, text: str) -> None:
    """A reader sees the old file or the whole new one."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
