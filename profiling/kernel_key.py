"""Keys of single kernels: the text that each needs, wherever that stands in its file, and its specialisation.

Two candidates of one search differ in few of their kernels; the others need not be compiled again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Mapping
from typing import Any

from .launches import Request


def kernel_texts(source: str, overrides: Mapping[str, Any]) -> dict[str, str]:
    """By name of each function that a file defines: its text, that of whatever it names of the file, at any
    depth, and that of all that is run at import and defines no name (an import may bring what it needs);
    `overrides` are values that stand in the place of those that the text gives to names."""
    body = ast.parse(source).body
    named: dict[str, list[ast.stmt]] = {}
    always: list[ast.stmt] = []
    for statement in body:
        names = _defined(statement)
        for name in names:
            named.setdefault(name, []).append(statement)
        always += [] if names else [statement]
    rest = "\n".join([repr(sorted(overrides.items())), *map(ast.unparse, always)])
    functions = (one.name for one in body if isinstance(one, ast.FunctionDef))
    return {name: f"{rest}\n{_with_needs(name, named)}" for name in functions}


def kernel_key(texts: Mapping[str, str], request: Request) -> str | None:
    """None for a kernel that is not defined at the top of its file. A constant that is told by its address
    makes a key that is not met again."""
    source = request.source
    if (text := texts.get(source.name)) is None:
        return None
    told: list[Any] = [text, source.signature, source.constants, source.attrs, dict(request.options)]
    return hashlib.sha256(repr([*told, request.target]).encode()).hexdigest()


def _defined(statement: ast.stmt) -> list[str]:
    """The names that a definition or a plain assignment gives; none for any other statement."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign) and all(isinstance(t, ast.Name) for t in statement.targets):
        return [target.id for target in statement.targets if isinstance(target, ast.Name)]
    return []


def _with_needs(name: str, named: Mapping[str, list[ast.stmt]]) -> str:
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        if (one := waiting.pop()) in found or one not in named:
            continue
        found[one] = "\n".join(map(ast.unparse, named[one]))
        waiting += [node.id for part in named[one] for node in ast.walk(part) if isinstance(node, ast.Name)]
    return "\n".join(found[one] for one in sorted(found))
