"""Quotes text that others wrote: as data, between marks that it cannot close, with where it comes from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...kb.screen import clean, suspicious

TAGS = ("passage", "kernel", "complaint", "outcome")
_MARK = re.compile(rf"<(?=/?(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)


def quoted(tag: str, text: str, said_of_it: Mapping[str, str]) -> str:
    """`text` between `<tag name="value" ...>` and `</tag>`; marks of that kind inside it lose their edge."""
    names = "".join(f' {name}="{_attribute(value)}"' for name, value in said_of_it.items() if value)
    return f"<{tag}{names}>\n{blunted(text).strip()}\n</{tag}>"


def blunted(text: str) -> str:
    """`text` without invisible characters, marks in it that look like the prompt's own made harmless."""
    return _MARK.sub("&lt;", visible(text))


def visible(text: str) -> str:
    """`text` without invisible characters."""
    return clean(text)[0]


def gives_orders(*texts: str) -> str:
    """The first words of `texts` that read as orders to a model; "" for none."""
    return next((words for text in texts if (words := suspicious(text))), "")


def _attribute(value: str) -> str:
    return " ".join(blunted(value).replace('"', "'").replace("<", "&lt;").replace(">", "&gt;").split())
