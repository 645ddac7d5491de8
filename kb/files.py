"""Keeps the library's plain files: each written whole or not at all, and acknowledged in a manifest."""

import hashlib
import json
import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

from .. import KbgenError

LOCK_TIMEOUT_S = 120


class LibraryError(KbgenError):
    """The library folder cannot be used as asked."""


def write_durably(path: Path, data: bytes) -> None:
    """Put `data` at `path` so that after a crash the file is the old one or the new one, never a part."""
    temporary = path.with_name(f".tmp-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise LibraryError(
            f"{path} cannot be written ({error.strerror}); free space or fix permissions, then repeat."
        ) from None
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and new names in `folder` survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Manifest:
    """`manifest.jsonl`: one line per acknowledged file, so that a file that went missing is noticed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._path = root / "manifest.jsonl"
        self._lock = FileLock(root / "manifest.lock", timeout=LOCK_TIMEOUT_S)
        self._entries: dict[str, str] = {}
        self._seen: tuple[int, int] | None = None

    def put(self, name: str, data: bytes) -> None:
        """Write the file `name` and acknowledge it; when this returns, both are on disk."""
        write_durably(self._root / name, data)
        self._append({"op": "put", "name": name, "sha256": hashlib.sha256(data).hexdigest()})

    def remove(self, name: str) -> None:
        """Acknowledge the removal of `name`, then remove it."""
        self._append({"op": "remove", "name": name})
        (self._root / name).unlink(missing_ok=True)
        sync_folder((self._root / name).parent)

    def entries(self) -> dict[str, str]:
        """Name -> sha256 of the files that should be there; a line torn by a crash was never acknowledged."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return {}
        seen = (stat.st_size, stat.st_mtime_ns)
        if seen != self._seen:
            self._entries, self._seen = self._read(), seen
        return dict(self._entries)

    def verify(self) -> dict[str, str]:
        """File name -> what is wrong: missing, changed since it was acknowledged, or not acknowledged."""
        wrong: dict[str, str] = {}
        entries = self.entries()
        for name, sha256 in entries.items():
            path = self._root / name
            if not path.is_file():
                wrong[name] = "missing"
            elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
                wrong[name] = "changed since it was written"
        for folder in ("records", "documents"):
            for path in sorted((self._root / folder).iterdir()):
                if not path.name.startswith(".") and f"{folder}/{path.name}" not in entries:
                    wrong[f"{folder}/{path.name}"] = "not in the manifest"
        return wrong

    def _read(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for raw in self._path.read_bytes().split(b"\n"):
            try:
                line: Any = json.loads(raw)
            except ValueError:
                continue
            if isinstance(line, dict) and line.get("op") == "put":
                found[str(line.get("name"))] = str(line.get("sha256"))
            elif isinstance(line, dict) and line.get("op") == "remove":
                found.pop(str(line.get("name")), None)
        return found

    def _append(self, line: dict[str, str]) -> None:
        """Acknowledge; a line that a full disk cut short is none, and the next one begins behind it."""
        data = json.dumps(line, sort_keys=True).encode() + b"\n"
        try:
            with self._lock, self._path.open("ab+") as file:
                end = file.seek(0, os.SEEK_END)
                if end:
                    file.seek(end - 1)
                    data = data if file.read(1) == b"\n" else b"\n" + data
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise LibraryError(
                f"{self._path} cannot be written ({error.strerror or error}); "
                "free space or fix permissions, then repeat."
            ) from None


def bytes_below(folder: Path) -> int:
    """Bytes of all files below `folder`; one that another process removes meanwhile counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(place, name)).st_size
    return total
