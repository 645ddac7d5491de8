"""Reads Jupyter notebooks: Markdown cells as they are, code cells as fences, text outputs in brief."""

import json
from typing import Any

from ..blocks import place_line
from .draft import Draft, Unreadable, decode, fence
from .markdown import read as read_markdown

OUTPUT_LINES = 30


def read(data: bytes) -> Draft:
    try:
        notebook: Any = json.loads(decode(data))
    except ValueError:
        raise Unreadable("is not JSON, so it is no notebook") from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("holds no list of cells; convert it with 'jupyter nbconvert --to notebook'")
    language = str(notebook.get("metadata", {}).get("kernelspec", {}).get("language") or "python")
    parts: list[str] = []
    title = ""
    flags: tuple[str, ...] = ()
    for number, cell in enumerate(cells):
        if not isinstance(cell, dict) or not (source := _joined(cell.get("source"))).strip():
            continue
        if cell.get("cell_type") == "markdown":
            draft = read_markdown(source.encode(errors="replace"))
            flags += draft.flags
            title = title or draft.title
            parts += [place_line(f"cell-{number}"), draft.body]
        elif cell.get("cell_type") == "code":
            parts += [place_line(f"cell-{number}"), fence(source, language), *_outputs(cell)]
    return Draft("\n\n".join(parts), title=title, flags=flags)


def _outputs(cell: dict[str, Any]) -> list[str]:
    """What the cell printed, its first lines; pictures and widgets are no text."""
    texts = [
        _joined(output.get("text") or (output.get("data") or {}).get("text/plain"))
        for output in cell.get("outputs") or []
        if isinstance(output, dict)
    ]
    lines = "\n".join(text.rstrip() for text in texts if text.strip()).split("\n")
    kept = [line[:400] for line in lines[:OUTPUT_LINES]]
    return [fence("\n".join(kept), "text")] if any(kept) else []


def _joined(source: Any) -> str:
    """A cell's text, which notebooks keep as one string or as a list of lines."""
    return "".join(map(str, source)) if isinstance(source, list) else str(source or "")
