"""Says what a comparison of search strategies shows a person."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.markup import escape

from . import figures
from .tables import Document, grid

COLUMNS = ("strategy", "knowledge", "candidates to near the best", "got there", "compiled", "ends at")


def eval_search(document: Document) -> Iterator[RenderableType]:
    """Whose clock it was, the strategies side by side, what knowledge was worth, the spaces."""
    yield escape(document["note"])
    for title, key in (
        ("all searches", "strategies"),
        ("where the plain kernel is not near the best", "where_the_plain_kernel_is_not_near"),
    ):
        if document[key]:
            heading = f"{title} (clock: {document['clock']})"
            yield grid(heading, COLUMNS, [_cells(row) for row in document[key]])
    yield escape(document["verdict"])
    names = ("op", "gpu", "candidates", "plain")
    rows = [[figures.cell(space[name]) for name in names] for space in document["spaces"]]
    yield grid("spaces", ("op", "gpu", "candidates", "plain kernel at"), rows)
    for name, reason in document["skipped"].items():
        yield f"not searched: {escape(name)}: {escape(reason)}"
    yield f"{document['searches']} searches, {document['seconds']} s"


def _cells(row: Document) -> list[str]:
    return [
        row["strategy"],
        "on" if row["knowledge"] else "off",
        spread(row["candidates_to_near"]),
        f"{row['reached']:.0%}",
        figures.cell(row["compiled"]),
        spread(row["chosen"]),
    ]


def spread(found: list[float | None]) -> str:
    """A value with its interval; a median that lies where the search never got has none."""
    value, low, high = ("never" if one is None else f"{one:.3g}" for one in found)
    return f"{value} ({low} to {high})"
