"""Reads how a command ended: the document that it printed, or the sentence that it failed with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MOST_BYTES = 64 << 20


def answer(path: Path, command: str) -> dict[str, Any] | None:
    """The document on a command's standard output, None where there is none under its schema.

    It is the last thing there: what an op file wrote around our own redirection comes before it.
    """
    if path.stat().st_size > MOST_BYTES:
        return None
    text = path.read_text(encoding="utf-8", errors="replace")
    start = text.rfind(f'{{\n  "schema": "kbgen/{command}/1"')
    try:
        found = json.loads(text[start:]) if start >= 0 else None
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def complaint(path: Path, code: int | None) -> str:
    """Why a command failed, from what it said: kbgen's own sentence, else how the process ended."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for mark in ("kbgen: ", "Error: "):
        for line in reversed(lines):
            if line.startswith(mark):
                return line.removeprefix(mark)
    if code is not None and code < 0:
        return f"it was ended by signal {-code}: out of memory, or killed by somebody; look into {path}."
    return f"it ended with code {code} and without an answer; look into {path}."
