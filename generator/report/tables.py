"""Makes the tables that a terminal shows; what stands in their cells is data, never markup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from . import figures

Document = Mapping[str, Any]
STYLES = {"passed": "green", "win": "green", "failed": "red", "ok": "green", "missing": "yellow"}


def grid(title: str | None, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A plain table; cells are data, so square brackets in them are not markup."""
    table = Table(*header, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.show_header = any(header)
    for row in rows:
        table.add_row(*(escape(text) for text in row))
    return table


def rows_of(title: str | None, rows: Sequence[Document], names: Sequence[str] | None = None) -> Table:
    """A table with the rows' own keys as its columns, or `names` where given."""
    names = names or figures.columns(rows)
    return grid(title, names, [[figures.cell(row.get(name)) for name in names] for row in rows])


def styled(word: str) -> str:
    """A status word in its colour."""
    return f"[{STYLES[word]}]{escape(word)}[/]" if word in STYLES else escape(word)


def facts(document: Document) -> Iterator[RenderableType]:
    """Any document: its plain values as one table, then every list of rows as a table of its own."""
    tables = {
        name: value
        for name, value in document.items()
        if isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping)
    }
    plain = [(name, figures.cell(value)) for name, value in document.items() if name not in tables]
    if plain:
        yield grid(None, ("", ""), plain)
    for name, rows in tables.items():
        yield rows_of(name, rows)


def kernels(rows: Sequence[Document]) -> Table:
    """What each compiled kernel takes."""
    header = ("kernel", *figures.STATIC_HEADER)
    return grid(None, header, [[row["name"], *figures.static_row(row["static"])] for row in rows])
