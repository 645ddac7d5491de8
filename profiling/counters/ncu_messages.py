"""Gathers what Nsight Compute says between its tables: warnings, errors, kernels that it did not profile."""

from __future__ import annotations

import re
from pathlib import Path

from .textfile import UnreadableProfileError

_MOST = 6  # notes of one kind; a run over thousands of launches repeats itself


class Messages:
    """Shown every line that is no table, keeps what a reader of the report must know."""

    def __init__(self) -> None:
        self._warnings: dict[str, None] = {}
        self._errors: dict[str, None] = {}
        self._kernels: list[str] = []
        self._nothing = False
        self._listing = False

    def take(self, line: str) -> None:
        line = line.strip()[:2000]
        if "No kernels were profiled" in line:
            self._nothing = True
        elif match := re.search(r"==(WARNING|ERROR)==\s*(\S.*)", line):
            said = self._warnings if match[1] == "WARNING" else self._errors
            if len(said) < 1000:
                said[match[2]] = None
        if re.search(r"Available Kernels:?$", line, re.IGNORECASE):
            self._listing = True
        elif self._listing and (match := re.fullmatch(r"\d+\.\s+(\S.*)", line)):
            self._kernels.append(match[1])
        elif line:
            self._listing = False

    def notes(self) -> tuple[str, ...]:
        """What the tool said, errors first."""
        said = [*self._errors, *self._warnings]
        more = (f"ncu said {len(said) - _MOST} other things.",) if len(said) > _MOST else ()
        return (*(f"ncu said: {text}" for text in said[:_MOST]), *more)

    def empty(self, path: Path) -> UnreadableProfileError:
        """The sentence for a file that holds no launch."""
        if self._nothing or self._kernels:
            seen = f"saw {', '.join(self._kernels[:20])}" if self._kernels else "names none that it saw"
            return UnreadableProfileError(
                f"{path} holds no launch, ncu profiled no kernel because its filter matched none; it {seen}: "
                "choose one with -k regex:NAME."
            )
        if self._errors:
            said = next(iter(self._errors))
            return UnreadableProfileError(f"{path} holds no launch, ncu stopped with: {said}")
        return UnreadableProfileError(
            f"{path} holds no whole launch: it is cut short or no output of ncu; export it again with "
            "LC_ALL=C ncu --import FILE.ncu-rep --csv --page raw --print-units base."
        )
