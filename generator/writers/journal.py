"""The journal of a search over answers: what was paid for or measured is on disk before it is used.

One file an entry, written whole and made durable, so that a run that was killed at any moment goes on from
what it had. A question is announced before it is sent: where its answer is missing after a crash, nobody
knows whether it was paid for, and it is not sent again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ... import KbgenError
from ...kb.files import sync_folder, write_durably

SCHEMA = "kbgen/journal/1"


class JournalError(KbgenError):
    """The journal does not fit the run, or cannot be read."""


class LostError(Exception):
    """A question was sent before a crash, and its answer is not there."""


class Journal:
    """Entries by kind and key in one folder; values are what JSON can hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, identity: Mapping[str, Any], *, resume: bool) -> None:
        """Open the journal of this run. Without `resume` a finished run's journal gives way to a new one, and
        a broken-off run's is not thrown away but told of; with it, the run must be the same one."""
        held = self._read(self.folder / "run.json")
        if held is not None and resume:
            changed = [name for name, value in identity.items() if held.get(name) != value]
            if held.get("schema") != SCHEMA or changed:
                raise JournalError(
                    f"{self.folder} is the journal of another run: {', '.join(changed) or 'schema'} differs; "
                    "resume with what that run was given, or choose another --out."
                )
            return
        if held is not None and not (self.folder / "done.json").exists():
            raise JournalError(
                f"{self.folder} holds the answers of a run that was broken off; add --resume to go on with "
                "it, or choose another --out."
            )
        if resume:
            raise JournalError(f"{self.folder} holds no run to resume; leave --resume out, or mend --out.")
        if held is not None:
            self._remove()
        elif self.folder.is_dir() and any(not one.name.startswith(".") for one in self.folder.iterdir()):
            raise JournalError(f"{self.folder} holds files that are no journal; choose another --out.")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write(self.folder / "run.json", {"schema": SCHEMA, **identity})

    def once(self, kind: str, key: str, make: Callable[[], Any]) -> Any:
        """The value of an entry: as it was written, or made now, written, and then given."""
        path = self._path(kind, key)
        held = self._read(path)
        if held is None:
            held = self._write(path, {"key": key, "value": make()})
        return held["value"]

    def paid(self, kind: str, key: str, ask: Callable[[], Any]) -> Any:
        """As `once`, for what costs money: announced first. Raises LostError where it was announced by a run
        that ended before its answer was written. What `ask` raises withdraws the announcement."""
        path = self._path(kind, key)
        held = self._read(path)
        if held is not None:
            return held["value"]
        announced = self._path(f"{kind}-sent", key)
        if announced.exists():
            raise LostError
        self._write(announced, {})
        try:
            value = ask()
        except Exception:
            announced.unlink(missing_ok=True)
            sync_folder(self.folder)
            raise
        return self._write(path, {"key": key, "value": value})["value"]

    def finish(self) -> None:
        """Mark the run as over: the next one may begin anew."""
        self._write(self.folder / "done.json", {})

    @staticmethod
    def name(key: str) -> str:
        """What stands for a key in names of files, and in the header that keeps servers from paying twice."""
        return hashlib.sha256(key.encode()).hexdigest()[:24]

    def _remove(self) -> None:
        """All of it or nothing: a crash leaves no half of a journal under its name."""
        gone = self.folder.with_name(f".journal-{uuid.uuid4().hex}")
        self.folder.rename(gone)
        shutil.rmtree(gone)

    def _path(self, kind: str, key: str) -> Path:
        return self.folder / f"{kind}-{self.name(key)}.json"

    @staticmethod
    def _write(path: Path, value: Mapping[str, Any]) -> Any:
        """Write the entry and give it as a later run will read it."""
        text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
        write_durably(path, f"{text}\n".encode())
        return json.loads(text)

    @staticmethod
    def _read(path: Path) -> Any:
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise JournalError(
                f"{path} cannot be read ({error}); restore it, or choose another --out."
            ) from None
