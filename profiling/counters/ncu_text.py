"""Reads the text that Nsight Compute prints on a terminal: tables of three columns and what its rules say."""

from __future__ import annotations

import re
from pathlib import Path

from .draft import Draft, Drafts
from .ncu_messages import Messages
from .ncu_rules import remark, speedup_pct
from .record import CounterReport
from .textfile import lines

# "  name(args) (1024, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 7.5"; to 2022 a date for the sizes
_LAUNCH = re.compile(
    r"^\s*(?P<name>\S.*?)"
    r"(?:\s+(?P<grid>\(\d+, \d+, \d+\))x(?P<block>\(\d+, \d+, \d+\))|,\s*\d{4}-\w{3}-\d{2} [\d:]{8})?"
    r",\s*Context \d+, Stream \d+(?:, Device \d+, CC (?P<cc>\d+[.,]\d))?$"
)
_SECTION = re.compile(r"^\s*Section: (\S.*)")
_RULED = re.compile(r"^\s*(-{5,}) (-{5,}) (-{5,})$")
_RULE = re.compile(r"^ {2,8}(OPT|WRN|INF|OK) {2,}(\S.*)")
_MORE = re.compile(r"^ {8,}(\S.*)")
_LONGEST_NAME = 20_000  # characters of a launch line; templates of templates run to thousands
_SPEEDUP = re.compile(r"^Est\. (Local )?Speedup: ([\d.,]+)%\s*")


def recognises(path: Path, head: str) -> bool:
    """Whether the head shows a section of a report, or the tool's own messages."""
    return bool(
        re.search(r"^ *Section: |^==(?:PROF|WARNING|ERROR)==|, Context \d+, Stream \d+", head, re.MULTILINE)
    )


def read(path: Path) -> CounterReport:
    """Raises UnreadableProfileError for a file without one whole launch."""
    report = _Report()
    for line in lines(path):
        report.take(line)
    report.end()
    drafts = report.drafts
    drafts.launches = [draft for draft in drafts.launches if draft.cells or draft.remarks]
    if not drafts.launches:
        raise report.messages.empty(path)
    return drafts.report(report.messages.notes())


class _Report:
    """Goes through the lines: launch, section, table and rule each begin with a line of their own."""

    def __init__(self) -> None:
        self.drafts = Drafts()
        self.messages = Messages()
        self._draft: Draft | None = None
        self._section = ""
        self._columns: list[tuple[int, int]] = []  # where the columns of the open table begin and end
        self._rows: list[list[str]] = []
        self._rule: tuple[str, list[str]] | None = None

    def take(self, line: str) -> None:
        if self._columns and self._row(line):
            return
        line = line.rstrip()
        if self._rule and (match := _MORE.match(line)):
            self._rule[1].append(match[1])
            return
        self.end_rule()
        if match := _launch(line):
            self._draft = self.drafts.open(
                match["name"],
                grid=match["grid"] or "",
                block=match["block"] or "",
                capability=match["cc"] or "",
            )
        elif match := _SECTION.match(line):
            self._section = match[1]
        elif match := _RULED.match(line):
            self._columns, self._rows = [match.span(column) for column in (1, 2, 3)], []
        elif match := _RULE.match(line):
            self._rule = (match[1], [match[2]])
        else:
            self.messages.take(line)

    def end(self) -> None:
        """Keeps what the last lines told."""
        self._end_table()
        self.end_rule()

    def end_rule(self) -> None:
        """Keeps the rule that the last lines told."""
        rule, self._rule = self._rule, None
        if rule is None or self._draft is None:
            return
        kind, text = rule[0], " ".join(rule[1])
        estimate = _SPEEDUP.match(text)
        text = text[estimate.end() :] if estimate else text
        percent, scope = (estimate[2], "local" if estimate[1] else "global") if estimate else ("", "")
        said = remark(self._section, kind, text, speedup_pct(percent), scope)
        self._draft.remarks.extend([said] if said else [])

    def _row(self, line: str) -> bool:
        """Whether the line is part of the open table; what begins something else closes it."""
        text = line.rstrip()
        if _RULED.match(text):
            if self._rows:
                self._end_table()
            return True
        if not text or _SECTION.match(text) or _RULE.match(text) or _launch(text):
            self._end_table()
            return False
        (start, name_end), (unit_start, unit_end), (value_start, value_end) = self._columns
        name, unit, value = (
            line[start:name_end],
            line[unit_start:unit_end].strip(),
            line[value_start:].strip(),
        )
        gaps = line[:start] + line[name_end:unit_start] + line[unit_end:value_start]
        if gaps.strip() or not name.strip():
            self.messages.take(line)  # words of the application between two rows
        elif value and not self._whole(line, value, value_end):
            self.drafts.leave_out("is cut short", f"{value[:40]!r} of {name.strip()}")
        elif not unit and not value and self._rows and len(self._rows[-1][0].strip()) == name_end - start:
            self._rows[-1][0] += name.strip()  # a name wider than its column goes on in the next line
        elif name.strip() != "Metric Name":
            self._rows.append([name.strip(), unit, value])
        return True

    @staticmethod
    def _whole(line: str, value: str, end: int) -> bool:
        """Whether the value ends where its column does; the tool counts bytes, so wide marks end before."""
        length = len(line.rstrip("\n"))
        return line.endswith("\n") and (length == end or (not value.isascii() and length < end))

    def _end_table(self) -> None:
        if self._draft is not None:
            for name, unit, value in self._rows:
                self.drafts.add(self._draft, name, unit, value)
        self._columns, self._rows = [], []


def _launch(line: str) -> re.Match[str] | None:
    """The parts of a line that begins a launch; the long way only for lines that can be one."""
    return _LAUNCH.match(line) if ", Context " in line and len(line) < _LONGEST_NAME else None
