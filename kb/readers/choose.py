"""Chooses the reader of a file by its name, or by what a web server says of it."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..blocks import lift_fences
from ..screen import clean
from . import html, markdown, notebook, pdf, rst, source, text
from .draft import Draft, Unreadable

READERS: dict[str, Callable[[bytes], Draft]] = {
    ".html": html.read, ".htm": html.read, ".xhtml": html.read, ".pdf": pdf.read,
    ".md": markdown.read, ".markdown": markdown.read, ".mdx": markdown.read,
    ".rst": rst.read, ".rest": rst.read, ".ipynb": notebook.read, ".txt": text.read, ".text": text.read,
    **{suffix: partial(source.read, suffix=suffix) for suffix in source.LANGUAGES},
}  # fmt: skip
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
MOST_HEADINGS = 20_000  # the longest manuals have a few thousand; each heading is a passage at least
LONGEST_FIELD = 300  # characters that a title, version, licence or date may have


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
    draft = _screened(draft)
    if not any(char.isalnum() for char in draft.body):
        raise Unreadable("holds no text")
    headings = len(_HEADING.findall(lift_fences(draft.body)[0]))
    if headings > MOST_HEADINGS:
        raise Unreadable(f"has {headings} headings; at most {MOST_HEADINGS} are read, split it")
    return draft


def _screened(draft: Draft) -> Draft:
    """`draft` without invisible characters: some come to light only when a parser has undone `&#x202e;`."""
    body, taken = clean(draft.body)
    said = {name: clean(getattr(draft, name))[0] for name in ("title", "version", "licence", "date")}
    short = {name: " ".join(text.split())[:LONGEST_FIELD] for name, text in said.items()}
    return replace(draft, body=body, flags=(*draft.flags, *taken), **short)
