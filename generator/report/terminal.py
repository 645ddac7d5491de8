"""Prints a command's document on standard output for a person."""

from __future__ import annotations

from rich.console import Console

from .tables import Document, facts
from .views import VIEWS

PIPE_WIDTH = 140


def show(command: str, document: Document) -> None:
    """Print the document the way its command's readers want it; as wide as the terminal, wider in a pipe."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPE_WIDTH)
    for part in VIEWS.get(command, facts)(document):
        console.print(part)
