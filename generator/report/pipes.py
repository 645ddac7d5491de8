"""Makes the tables of a Markdown page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import figures


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; `|` and line ends inside a cell are escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(_escaped(text) for text in line) + " |" for line in lines)


def free_table(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """A table of the named values, without the columns that are empty in every row."""
    filled = set(figures.columns(rows))
    shown = [name for name in names if name in filled]
    return table(shown, [[figures.cell(row.get(name)) for name in shown] for row in rows])


def passage(citation: Mapping[str, Any] | None) -> str:
    """Where a passage stands, as a link where its source is a page."""
    source = str((citation or {}).get("source") or "")
    place = figures.place(citation)
    return (
        f"[{place.replace('[', '(').replace(']', ')')}]({source})" if source.startswith("https://") else place
    )


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
