"""Takes apart a file that holds a kernel and its reference: `ModelNew`, and `Model` with its inputs."""

from __future__ import annotations

import ast
from pathlib import Path

from ...profiling.source import read_source

REFERENCE = ("Model", "get_inputs", "get_init_inputs")


def holds_both(path: Path) -> bool:
    """Whether the file defines `Model` and `ModelNew`; raises OpError where it cannot be read."""
    body = read_source(path).tree().body
    return {"Model", "ModelNew"} <= {node.name for node in body if isinstance(node, ast.ClassDef)}


def kernel_alone(text: str) -> str:
    """The text without the reference: its lines are left blank, so that every other keeps its number."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in REFERENCE:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            for number in range(first - 1, node.end_lineno or node.lineno):
                lines[number] = "\n"
    return "".join(lines)
