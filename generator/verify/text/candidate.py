"""Writes a candidate file out for one set of sizes: constants shared with the op file take its values."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from ....profiling.constructors import built_in, sizes_in


def with_constants(source: str, values: Mapping[str, Any]) -> str:
    """`source` with each module-level `NAME = <literal>` whose name is in `values` set to that value, and
    with the numbers of its constructors as `values` has them (see `constructors.py`).

    Edited in place, so that line numbers in errors stay the file's own.
    """
    lines, body = source.splitlines(keepends=True), ast.parse(source).body
    pairs = [pair for statement in body for pair in _assigned(statement)]
    edits: list[tuple[ast.expr, str]] = [
        (value, repr(values[name])) for name, value in pairs if name in values and _is_literal(value)
    ]
    found = built_in(body, sizes_in(values))
    edits += [(one.node, repr(one.at(values[one.name]))) for one in found if one.name in values]
    for node, text in sorted(edits, key=lambda edit: (edit[0].lineno, edit[0].col_offset), reverse=True):
        _replace(lines, node, text)
    return "".join(lines)


def _assigned(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Names with what is assigned to each, in the order of the text: `A = 1`, `A: int = 1`, `A, B = 1, 2`."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets: list[ast.expr] = [statement.target]
        value = statement.value
    elif isinstance(statement, ast.Assign):
        targets, value = statement.targets, statement.value
    else:
        return
    if len(targets) != 1:
        return
    target = targets[0]
    pairs: list[tuple[ast.expr, ast.expr]] = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    yield from ((t.id, v) for t, v in pairs if isinstance(t, ast.Name))


def _is_literal(value: ast.expr) -> bool:
    return not any(isinstance(node, ast.Name | ast.Call | ast.Attribute) for node in ast.walk(value))


def _replace(lines: list[str], value: ast.expr, text: str) -> None:
    """Put `text` where `value` stands; ast counts columns in UTF-8 bytes."""
    first, last = value.lineno - 1, (value.end_lineno or value.lineno) - 1
    head = lines[first].encode()[: value.col_offset].decode()
    tail = lines[last].encode()[value.end_col_offset :].decode()
    lines[first : last + 1] = [head + text + "\n" * (last - first) + tail]
