"""Counts what a process tree holds, from /proc: processes, threads, memory, disk."""

from __future__ import annotations

import contextlib
import math
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

MOST_FILES = 100_000
_GONE = (FileNotFoundError, NotADirectoryError)


def own_pid() -> int:
    """This process in the numbering of /proc, which may be that of an outer process namespace."""
    return int(os.readlink("/proc/self"))


def below(root: int, alone: bool = False, known: Mapping[int, Sequence[int]] | None = None) -> list[int]:
    """All living descendants of `root`; with `alone`, /proc shows nothing but `root` and these. `known` are
    the `families` of a moment ago, for a caller with many roots."""
    if alone:
        return [pid for pid in _pids() if pid != root]
    children = families() if known is None else known
    found, waiting = list[int](), list(children.get(root, ()))
    while waiting:
        found += waiting
        waiting = [child for pid in waiting for child in children.get(pid, ())]
    return found


def families() -> dict[int, list[int]]:
    """The living children of every process that has any."""
    found: dict[int, list[int]] = {}
    for pid in _pids():
        if (parent := _parent(pid)) is not None:
            found.setdefault(parent, []).append(pid)
    return found


def cpu_seconds(pids: Iterable[int]) -> float:
    """CPU time of these processes and of the children that they have waited for."""
    ticks = (_stat(f"/proc/{pid}/stat")[11:15] for pid in pids)
    return sum(int(tick) for fields in ticks for tick in fields) / os.sysconf("SC_CLK_TCK")


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _parent(pid: int) -> int | None:
    """None for a process that is gone or only waits to be buried."""
    state, parent = _stat(f"/proc/{pid}/stat")[:2] or ("Z", "0")
    return None if state == "Z" else int(parent)


def _stat(path: str) -> list[str]:
    """The fields after the command's name: state, parent, ...; empty for what is gone."""
    return _text(path).rpartition(")")[2].split()


def started(place: str) -> tuple[str, str] | None:
    """The name of a process or thread, and when it started in ticks since boot; None if it is gone."""
    head, _, tail = _text(f"{place}/stat").rpartition(")")
    fields = tail.split()
    return (head.partition("(")[2], fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def process_of(thread: int) -> int:
    """The process that a thread belongs to; 0 where there is none of that number."""
    fields = dict(line.split(":", 1) for line in _text(f"/proc/{thread}/status").splitlines())
    return int(fields.get("Tgid", "0"))


def threads(pids: Iterable[int]) -> int:
    """How many threads these processes have together."""
    counted = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            counted += os.stat(f"/proc/{pid}/task").st_nlink - 2
    return counted


def resident_bytes(pids: Iterable[int], limit: int) -> int:
    """Memory of these processes together; pages shared after a fork are divided only where it matters."""
    held = {pid: _kilobytes(f"/proc/{pid}/status", "RssAnon", "RssShmem") for pid in pids}
    if sum(held.values()) > limit:
        held = {
            pid: _kilobytes(f"/proc/{pid}/smaps_rollup", "Pss_Anon", "Pss_Shmem") or held[pid] for pid in held
        }
    return sum(held.values())


def _kilobytes(path: str, *names: str) -> int:
    """The sum of these lines of a file of /proc, in bytes."""
    lines = (line.partition(":") for line in _text(path).splitlines())
    return sum(int(value.split()[0]) * 1024 for name, _, value in lines if name in names)


def disk_bytes(pids: Iterable[int], folder: str) -> float:
    """What the files below `folder` take, and those that these processes hold open without a name.

    Infinite where it cannot be told: more than `MOST_FILES`, or a folder that does not let itself be listed.
    """
    sizes: dict[tuple[int, int], int] = {}
    try:
        for seen, file in enumerate(chain(_files(folder), *map(_unnamed, pids))):
            sizes[file.st_dev, file.st_ino] = file.st_blocks * 512
            if seen > MOST_FILES:
                return math.inf
    except OSError:  # a folder without rights, or below a path too long to be named
        return math.inf
    return sum(sizes.values())


def _files(folder: str) -> Iterator[os.stat_result]:
    folders = [folder]
    while folders:
        with contextlib.suppress(*_GONE), os.scandir(folders.pop()) as entries:
            for entry in entries:
                with contextlib.suppress(*_GONE):
                    yield entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)


def _unnamed(pid: int) -> Iterator[os.stat_result]:
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                found = os.stat(f"/proc/{pid}/fd/{name}")
                if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                    yield found
