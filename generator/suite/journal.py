"""Keeps the rows of a suite in a file, a line each as they come, so that a run that was cut goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ... import KbgenError
from .row import NOT_REACHED, Row

SCHEMA = "kbgen-suite/1"


class JournalError(KbgenError):
    """A file of rows that cannot be gone on with."""


class Journal:
    """`rows.jsonl` of a folder: the settings first, then rows; a later row of the same key takes the earlier
    one's place. A line that was cut short at the end is left out."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.path, self._settings = folder / "rows.jsonl", dict(settings)
        self.rows: dict[tuple[str, str, str], Row] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._read()
        else:
            self._append({"schema": SCHEMA, "settings": self._settings})

    def add(self, row: Row) -> None:
        """Keep the row, on disk first."""
        self._append(asdict(row))
        self.rows[row.key] = row

    def row(self, key: tuple[str, str, str]) -> Row:
        """The row, or one that says that there is none yet."""
        level, op, gpu = key
        missing = Row(op, gpu, NOT_REACHED, 0.0, "the time of the suite was over", level)
        return self.rows.get(key, missing)

    def _append(self, line: Mapping[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _read(self) -> None:
        whole, _, cut = self.path.read_text(encoding="utf-8").rpartition("\n")
        if cut:
            self.path.write_text(whole + "\n" if whole else "", encoding="utf-8")
        try:
            head, *lines = map(json.loads, whole.splitlines())
            if head["schema"] != SCHEMA:
                raise ValueError(f"its schema is {head['schema']!r}, not {SCHEMA!r}")
            rows = [Row.from_json(line) for line in lines]
        except (ValueError, TypeError, KeyError) as error:
            raise JournalError(
                f"{self.path} does not read as rows of a suite ({error}); give another --out, or remove it."
            ) from error
        if {**dict.fromkeys(self._settings), **head["settings"]} != self._settings:
            raise JournalError(
                f"{self.path} was begun with {head['settings']}, and this run asks for {self._settings}; "
                "ask for the same, or give another --out."
            )
        self.rows = {row.key: row for row in rows}
