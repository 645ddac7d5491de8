"""Keeps apart pages and records that stay on disk but are neither searched nor counted."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from filelock import FileLock

from .files import LOCK_TIMEOUT_S, LibraryError, write_durably


@dataclass(frozen=True)
class Kept:
    """Why something is kept apart, and since when (ISO 8601)."""

    reason: str
    since: str


class Quarantine:
    """`quarantine.json` of a library: id of a page or record -> why it is kept apart."""

    def __init__(self, root: Path) -> None:
        self._path = root / "quarantine.json"
        self._lock = FileLock(root / "quarantine.lock", timeout=LOCK_TIMEOUT_S)
        self._seen: tuple[int, int] | None = None
        self._entries: dict[str, Kept] = {}

    def entries(self) -> Mapping[str, Kept]:
        """Everything kept apart; read again only after another process wrote."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return {}
        if (stat.st_size, stat.st_mtime_ns) != self._seen:
            try:
                found = json.loads(self._path.read_bytes())
                self._entries = {str(name): Kept(**kept) for name, kept in found.items()}
            except (ValueError, TypeError, AttributeError):
                raise LibraryError(
                    f"{self._path} cannot be read; restore it, or remove it to release everything kept apart."
                ) from None
            self._seen = (stat.st_size, stat.st_mtime_ns)
        return self._entries

    def put(self, name: str, reason: str) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        with self._lock:
            self._write({**self.entries(), name: Kept(reason, now)})

    def release(self, name: str) -> None:
        with self._lock:
            self._write({key: kept for key, kept in self.entries().items() if key != name})

    def _write(self, entries: Mapping[str, Kept]) -> None:
        data = json.dumps({name: asdict(kept) for name, kept in entries.items()}, indent=1, sort_keys=True)
        write_durably(self._path, data.encode())
        self._seen = None
