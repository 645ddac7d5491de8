"""Reads a saved profile of any tool that kbgen knows: tells its format by its contents and has it read."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from ...hardware_specs.device import DeviceSpec
from . import foreign
from .record import CounterReport
from .textfile import UnreadableProfileError, head

# In the order in which they are asked: what is known by its first bytes before what is known by its words.
_IMPORTERS = ("ncu_rep", "rocpd", "ncu_csv", "rocprofv3", "rocprof_compute", "pc_sampling", "ncu_text")
_NAMELESS = (
    "rocpd",
    "rocprofv3",
    "rocprof_compute",
    "pc_sampling",
)  # whose files may not say which GPU they are from
ACCEPTED = (
    "an Nsight Compute report (.ncu-rep), its raw or details page as CSV or its text output, "
    "rocprofv3 CSV files or database, or a rocprof-compute folder"
)


class Importer(Protocol):
    """A module that reads one format."""

    def recognises(self, path: Path, head: str) -> bool: ...

    def read(self, path: Path, device: DeviceSpec | None = ..., /) -> CounterReport: ...


def read_profile(path: Path, device: DeviceSpec | None = None) -> CounterReport:
    """The launches of a saved profile: a file, or the folder that a tool left.

    AMD's counter files may name no GPU: `device` says which one it was, as far as they do not contradict.
    Raises UnreadableProfileError, in one sentence, for what is missing, of another tool, damaged or empty.
    """
    if not (path.is_file() or path.is_dir()):
        what = "is neither a file nor a folder" if path.exists() else "does not exist"
        raise UnreadableProfileError(f"{path} {what}: name {ACCEPTED}.")
    beginning = head(path)
    for name, importer in _importers():
        if importer.recognises(path, beginning):
            return importer.read(path, device) if name in _NAMELESS else importer.read(path)
    if path.is_dir():
        return _of_folder(path, device)
    raise foreign.refusal(path, beginning, ACCEPTED)


def _of_folder(folder: Path, device: DeviceSpec | None) -> CounterReport:
    """A folder that no tool left as such, but that holds one profile."""
    found = []
    for path in sorted(folder.iterdir())[:1000]:
        if path.is_file() and _recognised(path):
            found.append(path)
    if len(found) == 1:
        return read_profile(found[0], device)
    if not found:
        raise UnreadableProfileError(f"{folder} holds no profile that kbgen can read: name {ACCEPTED}.")
    names = ", ".join(path.name for path in found[:10])
    raise UnreadableProfileError(f"{folder} holds {len(found)} profiles ({names}): name one of them.")


def _recognised(path: Path) -> bool:
    beginning = head(path)
    return any(importer.recognises(path, beginning) for _, importer in _importers())


def _importers() -> Iterator[tuple[str, Importer]]:
    for name in _IMPORTERS:
        yield name, cast(Importer, import_module(f".{name}", __package__))
