"""Seals the graph files of Chroma: opening a torn one crashes the process instead of raising an error."""

import json
import uuid
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from .files import write_durably


@dataclass(frozen=True)
class Seal:
    """Size, time of change and checksum of every persisted graph file; `token` is new with every sealing."""

    token: str = ""
    files: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def faults(self, folder: Path) -> list[str]:
        """Files that are not as sealed; the checksum decides where only the time of change differs."""
        found = graph_files(folder)
        return sorted(
            name
            for name in {*self.files, *found}
            if name not in self.files or name not in found or not _same(found[name], self.files[name])
        )

    def holds_times(self, folder: Path) -> bool:
        """Whether no file has been written since; a look at the folder, not into the files."""
        return {name: _times(path) for name, path in graph_files(folder).items()} == {
            name: mark[:2] for name, mark in self.files.items()
        }


def graph_files(folder: Path) -> dict[str, Path]:
    """Persisted graph files by their path below `folder`.

    A folder without index_metadata.pickle does not count: Chroma fills it from SQLite at every start.
    """
    return {
        str(path.relative_to(folder)): path
        for pickle in folder.glob("*/index_metadata.pickle")
        for path in pickle.parent.iterdir()
    }


def read(path: Path) -> Seal:
    """The seal kept at `path`; the empty one, which fits only an index without graphs, if missing or torn."""
    try:
        kept = json.loads(path.read_bytes())
        return Seal(
            kept["token"], {name: (mark[0], mark[1], mark[2]) for name, mark in kept["files"].items()}
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return Seal()


def renew(path: Path, folder: Path) -> Seal:
    """Seal the files as they are now and keep the seal at `path`."""
    marks = {name: (*_times(file), _checksum(file)) for name, file in graph_files(folder).items()}
    seal = Seal(uuid.uuid4().hex, marks)
    write_durably(path, json.dumps({"token": seal.token, "files": seal.files}).encode())
    return seal


def _same(path: Path, mark: tuple[int, int, int]) -> bool:
    size, _ = _times(path)
    return _times(path) == mark[:2] or (size == mark[0] and _checksum(path) == mark[2])


def _times(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _checksum(path: Path) -> int:
    total = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total = zlib.crc32(block, total)
    return total
