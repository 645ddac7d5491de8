"""Writes a candidate file out for one set of sizes: constants shared with the op file take its values."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any


def with_constants(source: str, values: Mapping[str, Any]) -> str:
    """`source` with each module-level `NAME = <literal>` whose name is in `values` set to that value.

    Edited in place, so that line numbers in errors stay the file's own.
    """
    lines = source.splitlines(keepends=True)
    for statement in reversed(ast.parse(source).body):
        name, value = _assigned(statement)
        if name in values and value is not None and _is_literal(value):
            _replace(lines, value, repr(values[name]))
    return "".join(lines)


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else ("", None)
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    return "", None


def _is_literal(value: ast.expr) -> bool:
    return not any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(value))


def _replace(lines: list[str], value: ast.expr, text: str) -> None:
    """Put `text` where `value` stands; ast counts columns in UTF-8 bytes."""
    first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
    head = lines[first].encode()[: value.col_offset].decode()
    tail = lines[last].encode()[value.end_col_offset :].decode()
    lines[first : last + 1] = [head + text + "\n" * (last - first) + tail]
