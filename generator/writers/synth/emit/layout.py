"""Lays source out in lines of at most `WIDTH` columns: what is longer is broken at its outermost bracket."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

WIDTH = 110
"""Columns of a line in generated files."""

_OPEN, _CLOSE = "([{", ")]}"


def laid_out(line: str, depth: int, *, margin: int = 0) -> list[str]:
    """A statement `depth` levels in, over as many lines as it needs; `margin` columns stay free."""
    indent, width = "    " * depth, WIDTH - margin
    if len(indent) + len(line) <= width:
        return [indent + line if line else ""]
    line = _bracketed(line)
    groups = list(_groups(line))
    if not groups:
        return _terms(line, indent)
    start, end = max(groups, key=lambda group: group[1] - group[0])
    parts = _split(line[start + 1 : end])
    if len(parts) < 2 and not parts[0]:
        return [indent + line]
    trailing = "," if len(parts) > 1 else ""
    rows = [row + trailing for row in packed(parts, width - 6 - len(indent))]
    body = [out for row in rows for out in laid_out(row, depth + 1, margin=margin)]
    return [indent + line[: start + 1], *body, indent + line[end:]]


def _terms(line: str, indent: str) -> list[str]:
    """A long sum in brackets, a term a line."""
    target, equals, value = line.partition(" = ")
    first, *rest = value.split(" + ")
    if not equals or not rest:
        return [indent + line]
    body = [f"{indent}    {first}", *(f"{indent}    + {term}" for term in rest)]
    return [f"{indent}{target} = (", *body, f"{indent})"]


def packed(parts: list[str], width: int = 100) -> list[str]:
    """Parts of a list packed into rows, commas between them."""
    rows: list[str] = []
    for part in parts:
        if rows and len(rows[-1]) + len(part) + 2 <= width:
            rows[-1] += ", " + part
        else:
            rows.append(part)
    return rows


def docstring(text: str, title: str = "", note: str = "") -> list[str]:
    """Lines of a docstring one level in; one too long for a line goes below a title or its own beginning.

    A note follows as a paragraph of its own.
    """
    body = []
    if len(text) > WIDTH - 10:
        first, _, rest = (title, "", text) if title else text.partition(": ")
        text, body = f"{first}.", ["", *_wrapped(rest)]
    if note:
        body += ["", *_wrapped(note)]
    return [f'    """{text}', *body, '    """'] if body else [f'    """{text}"""']


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def comment(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH - 4, initial_indent="# ", subsequent_indent="#     ")


def _bracketed(line: str) -> str:
    """Brackets around a long bare list: what is returned, or what a call's results are bound to."""
    if line.startswith("return ") and len(_split(line.removeprefix("return "))) > 1:
        return f"return ({line.removeprefix('return ')})"
    target, equals, value = line.partition(" = ")
    if equals and len(_split(target)) > 1 and len(target) > len(value):
        return f"({target}) = {value}"
    return line


def _groups(line: str) -> Iterator[tuple[int, int]]:
    """Places of the outermost brackets, quoted ones left out."""
    start = 0
    for place, mark, depth in _marks(line):
        if mark in _OPEN and depth == 1:
            start = place
        elif mark in _CLOSE and depth == 0:
            yield start, place


def _split(text: str) -> list[str]:
    """Parts between the outermost commas."""
    cuts = [place for place, mark, depth in _marks(text) if mark == "," and depth == 0]
    ends = [*cuts, len(text)]
    starts = [0, *(c + 1 for c in cuts)]
    parts = [text[a:b].strip() for a, b in zip(starts, ends, strict=True)]
    return parts[:-1] if len(parts) > 1 and not parts[-1] else parts


def _marks(text: str) -> Iterator[tuple[int, str, int]]:
    """Brackets and commas outside of quotes, with the depth after them."""
    depth, quote = 0, ""
    for place, mark in enumerate(text):
        if quote or mark in "\"'":
            quote = "" if mark == quote else (quote or mark)
            continue
        depth += (mark in _OPEN) - (mark in _CLOSE)
        if mark in _OPEN + _CLOSE + ",":
            yield place, mark, depth
