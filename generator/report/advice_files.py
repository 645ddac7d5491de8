"""Writes advice as a page: Markdown, or one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec as installed
from pathlib import Path
from typing import Any

from ... import KbgenError
from . import json_report
from .files import write_whole

Write = Callable[[Mapping[str, Any]], Path]


class PageError(KbgenError):
    """A page that cannot be written here."""


def writer(out: Path | None) -> Write | None:
    """What writes an advise document to `out`, by its suffix; None without `out`.

    Raises PageError for what could not be written, before any work is done.
    """
    if out is None:
        return None
    render = {".html": _html, ".htm": _html, ".md": _markdown}.get(out.suffix.lower())
    if render is None:
        raise PageError(f"--out {out} is neither a page nor a text; name it FILE.html or FILE.md.")
    if render is _html and installed("matplotlib") is None:
        raise PageError(
            "an HTML page needs matplotlib for its plots, which is not here: pip install 'kbgen[report]', or "
            "write FILE.md."
        )

    def write(document: Mapping[str, Any]) -> Path:
        write_whole(out, render(json_report.plain(document)))
        return out

    return write


def _markdown(document: Mapping[str, Any]) -> str:
    from .advice_markdown import render

    return render(document)


def _html(document: Mapping[str, Any]) -> str:
    from .advice_page import render

    return render(document)
