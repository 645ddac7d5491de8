"""Names the profiles of other tools, and says how to get from there what kbgen reads."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from .textfile import UnreadableProfileError

_SQLITE = "SQLite format 3\x00"
_PACKED = ("\x1f\ufffd", "PK\x03\x04", "BZh", "\ufffd7zXZ\x00", "(\ufffd/\ufffd")  # gzip zip bzip2 xz zstd
_COUNTERS = "profile the kernel with ncu --set full -o OUT PROGRAM and name OUT.ncu-rep"


def refusal(path: Path, head: str, accepted: str) -> UnreadableProfileError:
    """Why kbgen does not read this file, in one sentence with the way out."""
    if what := _nsys(path, head):
        return UnreadableProfileError(
            f"{path} is {what} of Nsight Systems, which holds when kernels ran but no counters: {_COUNTERS}."
        )
    if _nvprof(path, head):
        return UnreadableProfileError(
            f"{path} is output of nvprof or the Visual Profiler, which no current GPU supports: {_COUNTERS}."
        )
    if head.startswith(_PACKED):
        return UnreadableProfileError(f"{path} is compressed: unpack it and name what is in it, {accepted}.")
    if not head.strip():
        return UnreadableProfileError(f"{path} is empty: name {accepted}.")
    return UnreadableProfileError(f"{path} is no profile that kbgen can read: name {accepted}.")


def _nsys(path: Path, head: str) -> str | None:
    if path.suffix in (".nsys-rep", ".qdrep", ".qdstrm"):
        return "a report"
    if head.startswith(_SQLITE) and {"TARGET_INFO_GPU", "StringIds"} & _tables(path):
        return "an export"
    if re.search(r"\[\d/\d\] Executing '\w+' stats report|\"?Time \(%\)\"?,\"?Total Time \(ns\)\"?", head):
        return "statistics"
    return None


def _nvprof(path: Path, head: str) -> bool:
    if head.startswith(_SQLITE):
        return path.suffix in (".nvvp", ".nvprof") or "CUPTI_ACTIVITY_KIND_KERNEL" in _tables(path)
    return bool(re.search(r"==\d+== (?:NVPROF is profiling|Profiling (?:result|application))", head))


def _tables(path: Path) -> set[str]:
    """The tables of a SQLite file; none where it is damaged."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            return {name for (name,) in base.execute("select name from sqlite_master")}
    except sqlite3.Error:
        return set()
