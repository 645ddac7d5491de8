"""Reads the CSV tables of ROCm tools by their header: any column order or separator, log lines in between."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from .textfile import lines

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d{1,3})?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_SEPARATORS = (",", ";", "\t")
_TRUSTED_SHARE = Decimal("0.01")  # a rounding step coarser than this share of the time makes it worthless


@dataclass(frozen=True)
class Table:
    """The rows under a header, by column. `skipped` lines were no rows; `open_end` tells that the file ends
    inside a line, so that the last cell of the last row may have been cut."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]
    skipped: int
    open_end: bool


def read_table(path: Path, required: frozenset[str]) -> Table | None:
    """The first table of the file that has the `required` columns, None where it has none.

    Raises UnreadableProfileError as textfile.lines does.
    """
    columns: tuple[str, ...] = ()
    separator = ","
    rows: list[Mapping[str, str]] = []
    skipped, line = 0, "\n"
    for line in lines(path):
        if not columns:
            separator, columns = header(line, required) or (separator, ())
            continue
        cells = _cells(line, separator)
        if len(cells) != len(columns):
            skipped += bool(line.strip())
        elif tuple(cells) != columns:
            rows.append(_row(columns, cells))
    return Table(columns, tuple(rows), skipped, not line.endswith("\n")) if columns else None


def header(line: str, required: frozenset[str]) -> tuple[str, tuple[str, ...]] | None:
    """The separator and the columns of a header line that has the `required` ones, else None."""
    if any(name not in line for name in required):
        return None
    for separator in _SEPARATORS:
        cells = tuple(_cells(line, separator))
        if required <= set(cells):
            return separator, cells
    return None


def number(text: str | None) -> float | None:
    """A cell as a number; None for one that is empty, not finite or no number. A decimal comma counts."""
    cell = (text or "").strip()
    if _DECIMAL_COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")
    return float(cell) if _NUMBER.fullmatch(cell) else None


def whole(text: str | None) -> int | None:
    """A cell as a count, None for one that is none; "4.0" is 4."""
    value = number(text)
    return int(value) if value is not None and value >= 0 and value == int(value) else None


def duration_ns(start: str | None, end: str | None) -> tuple[float | None, str | None]:
    """The nanoseconds between two timestamps, and a sentence where the file's cannot be used.

    Spreadsheets turn 810970000012345 into 8.1097E+14: ten seconds of a kernel's microseconds are lost.
    """
    if not (start or "").strip() or not (end or "").strip():
        return None, None
    stamps = [_stamp(text) for text in (start, end)]
    if None in stamps:
        return None, f"timestamps {start!r} and {end!r} are no numbers: no duration"
    (first, step), (last, other_step) = (stamp for stamp in stamps if stamp is not None)
    passed, coarse = last - first, max(step, other_step)
    if coarse > 1 and coarse > _TRUSTED_SHARE * passed:
        return None, f"timestamps are rounded to {float(coarse):.0e} ns ({start}): no duration"
    if passed <= 0:
        return None, f"timestamps give {float(passed):.0f} ns ({start} to {end}): no duration"
    return float(passed), None


def _stamp(text: str | None) -> tuple[Decimal, Decimal] | None:
    """A timestamp and the step of its last written digit."""
    cell = (text or "").strip()
    if not _NUMBER.fullmatch(cell):
        return None
    value = Decimal(cell)
    exponent = value.as_tuple().exponent
    return value, Decimal(10) ** (exponent if isinstance(exponent, int) else 0)


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line, none for what no CSV writer leaves (an open quote, a NUL)."""
    text = line.rstrip("\r\n").lstrip("\ufeff")
    try:
        rows: Iterator[list[str]] = csv.reader([text], delimiter=separator, strict=True)
        return [cell.strip() for cell in next(rows, [])]
    except csv.Error:
        return []


def _row(columns: tuple[str, ...], cells: list[str]) -> Mapping[str, str]:
    """Cells by column; of columns with one name, those that contradict each other are left out."""
    found: dict[str, str] = {}
    torn = set()
    for column, cell in zip(columns, cells, strict=True):
        if found.setdefault(column, cell) != cell:
            torn.add(column)
    return {column: cell for column, cell in found.items() if column not in torn}
