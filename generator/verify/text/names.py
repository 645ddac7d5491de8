"""Finds its way in a syntax tree: what an imported name stands for, what stands in a branch."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

_NOT_A_WAY = {"abc", "math", "select", "types", "collections"}
"""Names of standard modules that also name something harmless in torch, triton or an allowed module."""


@lru_cache(maxsize=8)
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All of a file's tree, which every rule goes through and none changes."""
    return tuple(ast.walk(tree))


def aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield (one.asname, one.name) if one.asname else (one.name.split(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                yield one.asname or one.name, f"{node.module}.{one.name}"


def with_guards(node: ast.AST, guarded: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node below, with whether it stands in a branch of an `if`, an `if` expression or a `try`."""
    yield node, guarded
    for name, value in ast.iter_fields(node):
        branch = guarded or (isinstance(node, ast.If | ast.IfExp | ast.Try) and name != "test")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from with_guards(child, branch)


def bound_by_functions(tree: ast.Module) -> set[int]:
    """The ids of names that a function around them has as a parameter or assigns: none of them is a builtin,
    whatever it is called. What a module or a class binds is not counted: before that, it is the builtin."""
    found: set[int] = set()
    for node in nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body, inside = node.body, list(_below(node.body, ast.ClassDef))
        elif isinstance(node, ast.Lambda):
            body, inside = [], list(_below([node.body], ast.ClassDef))
        else:
            continue
        own = {one.arg for one in _below([node.args], ast.expr) if isinstance(one, ast.arg)}
        own |= {one.id for one in _below(body, *_SCOPES) if is_stored(one)}
        found |= {id(one) for one in inside if isinstance(one, ast.Name) and one.id in own}
    return found


_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def _below(found: Sequence[ast.AST], *leaving_out: type[ast.AST]) -> Iterator[ast.AST]:
    """`found` and every node below, without what stands in nodes of these types."""
    for node in found:
        if not isinstance(node, leaving_out):
            yield node
            yield from _below(list(ast.iter_child_nodes(node)), *leaving_out)


def is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def is_self(node: ast.AST) -> bool:
    return is_name(node, "self") or is_name(node, "cls")


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def through_a_module(full: str) -> bool:
    """Whether a dotted name reaches a standard module through another one, as torch.os does."""
    return any(part in sys.stdlib_module_names and part not in _NOT_A_WAY for part in full.split(".")[1:])
