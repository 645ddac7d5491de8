"""Cuts a kernel file into numbered spans, so that a reply can replace one and leave the rest as it stands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise


def spans(source: str) -> tuple[str, ...]:
    """The file as consecutive texts that join to it again: what stands before the first function or class,
    then one span for each of these, decorators and the lines after it included. SyntaxError if it is none."""
    lines = source.splitlines(keepends=True)
    tops = [
        min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    edges = [0, *(top for top in tops if top), len(lines)]
    return tuple("".join(lines[start:end]) for start, end in pairwise(edges))


def marked(source: str) -> str:
    """The file with a line `# [span N]` before each span."""
    return "\n".join(f"# [span {place}]\n{text.rstrip()}\n" for place, text in enumerate(spans(source), 1))


def with_spans(source: str, replaced: Mapping[int, str]) -> str:
    """The file with some spans replaced, blank lines after each kept as they were."""
    parts = []
    for place, old in enumerate(spans(source), 1):
        new = replaced.get(place)
        if new is None:
            parts.append(old)
        elif new.strip():
            parts.append(new.strip("\n") + old[len(old.rstrip()) :])
    return "".join(parts)
