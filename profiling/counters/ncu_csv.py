"""Reads Nsight Compute's CSV of any year: the raw page, one row a launch, and the details page."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from .draft import Draft, Drafts
from .ncu_messages import Messages
from .ncu_rules import remark, speedup_pct
from .record import CounterReport
from .textfile import lines

_HEADER = re.compile(r'("|(?<![\w ]))ID\1([,;\t])(?=.{0,300}\bKernel Name\b)')
_ROW = re.compile(r'"\d[\d.,]*"[,;\t]"')  # where a quoted row starts, maybe after words of the application
# A row by itself: its header may be out of sight.
_UNHEADED = re.compile(r'^"\d[\d.,]*","\d[^"]*",.*"\(\d+, \d+, \d+\)"', re.MULTILINE)
_FEWEST = 3  # cells of a row, less is no table
_MOST_JOINED = 40  # lines of one quoted cell


def recognises(path: Path, head: str) -> bool:
    """Whether the header or rows of a raw or details page are in sight."""
    return any(_HEADER.search(line) for line in head.splitlines()) or bool(_UNHEADED.search(head))


def read(path: Path) -> CounterReport:
    """Raises UnreadableProfileError for a file without one whole launch."""
    page = _Page()
    for line in lines(path):
        page.take(line)
    page.close()
    if not page.drafts.launches:
        raise page.messages.empty(path)
    return page.drafts.report(page.messages.notes())


class _Page:
    """Goes through the lines of a file: a header opens a table, another one the table of the next run."""

    def __init__(self) -> None:
        self.drafts = Drafts()
        self.messages = Messages()
        self._header: list[str] = []
        self._delimiter, self._quoted = ",", True
        self._units: list[str] = []
        self._launch_of: dict[tuple[str, ...], Draft] = {}
        self._pending: list[str] = []  # the lines of a row whose last quote is still open

    def take(self, line: str) -> None:
        if self._pending and not _ROW.match(line) and len(self._pending) < _MOST_JOINED:
            self._pending.append(line)
            if "".join(self._pending).count('"') % 2 == 0:
                self._row("".join(self._pending))
                self._pending = []
            return
        self.close()
        if match := _HEADER.search(line):
            self._open(line[match.start() :], match[2], bool(match[1]))
        elif not self._header:
            self.messages.take(line)
        elif self._quoted:
            self._quoted_line(line)
        elif line.endswith("\n"):
            self._row(line)
        elif line.strip():
            self.drafts.leave_out("may be cut short: the file ends within its line", "the last row")

    def close(self) -> None:
        """Gives up a row that never ended."""
        if self._pending:
            self.drafts.leave_out("is cut short", f"the row {self._pending[0][:30].strip()!r}")
            self._pending = []

    def _open(self, line: str, delimiter: str, quoted: bool) -> None:
        self._delimiter, self._quoted = delimiter, quoted
        self._header = self._cells(line.rstrip("\n"))
        if ("Metric Name" in self._header) != ("Metric Value" in self._header):
            self._header = []  # damaged: neither page
        self._units, self._launch_of = [], {}

    def _quoted_line(self, line: str) -> None:
        start = 0 if line.startswith(f'""{self._delimiter}') else -1
        if match := _ROW.search(line):
            start = match.start()
        if start < 0:
            self.messages.take(line)
        elif line.count('"', start) % 2:
            self._pending = [line[start:]]
        else:
            self._row(line[start:])

    def _cells(self, line: str) -> list[str]:
        """The cells of a row; none for one that words of the application have got into."""
        try:
            return [
                cell.strip() for cell in next(csv.reader([line], delimiter=self._delimiter, strict=True), [])
            ]
        except csv.Error:
            return []

    def _row(self, line: str) -> None:
        cells = self._cells(line.rstrip("\n").replace("\n", " "))
        if len(cells) < _FEWEST:
            self.drafts.leave_out("is no row", repr(line[:40].strip()))
        elif "Metric Name" in self._header and len(cells) <= self._header.index("Metric Value"):
            self.drafts.leave_out("is cut short", f"the row {line[:30].strip()!r}")
        elif "Metric Name" in self._header:
            self._long(dict(zip(self._header, cells, strict=False)))
        elif len(cells) != len(self._header):
            self.drafts.leave_out("does not fit the header", f"the row {line[:30].strip()!r}")
        elif not cells[self._header.index("ID")]:
            self._units = cells
        else:
            self._wide(cells)

    def _wide(self, cells: list[str]) -> None:
        """A row of the raw page: one launch."""
        draft = self._draft(dict(zip(self._header, cells, strict=True)))
        for label, spelling, text in zip(self._header, self._units or [""] * len(cells), cells, strict=True):
            if "__" in label or label.startswith("memory_"):
                self.drafts.add(draft, label, spelling, text)

    def _long(self, row: dict[str, str]) -> None:
        """A row of the details page: a metric or a rule, of a launch that earlier rows may have opened."""
        identity = tuple(row.get(column, "") for column in ("ID", "Process ID", "Kernel Name"))
        if identity not in self._launch_of:
            self._launch_of[identity] = self._draft(row)
        draft = self._launch_of[identity]
        if row["Metric Name"]:
            self.drafts.add(draft, row["Metric Name"], row.get("Metric Unit", ""), row["Metric Value"])
        elif row.get("Rule Name"):
            estimate = speedup_pct(row.get("Estimated Speedup", ""))
            scope = row.get("Estimated Speedup Type", "")
            said = remark(
                row["Rule Name"], row.get("Rule Type", ""), row.get("Rule Description", ""), estimate, scope
            )
            draft.remarks.extend([said] if said else [])

    def _draft(self, row: dict[str, str]) -> Draft:
        return self.drafts.open(
            row.get("Kernel Name", ""),
            grid=row.get("Grid Size", ""),
            block=row.get("Block Size", ""),
            capability=row.get("CC", ""),
        )
