"""Chooses the reader of a file by its name, or by what a web server says of it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from . import html, markdown, notebook, pdf, rst, source, text
from .draft import Draft, Unreadable

READERS: dict[str, Callable[[bytes], Draft]] = {
    ".html": html.read, ".htm": html.read, ".xhtml": html.read, ".pdf": pdf.read,
    ".md": markdown.read, ".markdown": markdown.read, ".mdx": markdown.read,
    ".rst": rst.read, ".rest": rst.read, ".ipynb": notebook.read, ".txt": text.read, ".text": text.read,
    **{suffix: partial(source.read, suffix=suffix) for suffix in source.LANGUAGES},
}  # fmt: skip
BY_TYPE = {
    "text/html": ".html", "application/xhtml+xml": ".html", "application/pdf": ".pdf", "text/markdown": ".md",
    "text/x-rst": ".rst", "application/x-ipynb+json": ".ipynb", "text/x-python": ".py",
}  # fmt: skip


def is_known(path: Path) -> bool:
    return path.suffix.lower() in READERS


def read(data: bytes, suffix: str) -> Draft:
    """`data` as a draft by the reader of `suffix`; Unreadable with the reason if it cannot be one."""
    reader = READERS.get(suffix.lower())
    if reader is None:
        known = ", ".join(READERS)
        raise Unreadable(f"{suffix or 'a file without suffix'} is not read; known: {known}")
    try:
        draft = reader(data)
    except RecursionError:
        raise Unreadable("is nested too deep to be a document of people") from None
    if not any(char.isalnum() for char in draft.body):
        raise Unreadable("holds no text")
    return draft
