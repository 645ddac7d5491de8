"""Finds the statements of an autograd function's forward that only keep something for its backward pass.

    if x.requires_grad:
        ctx.save_for_backward(x, weight)
        ctx.eps = eps

No result of forward depends on them, unless it reads what it has kept.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from .names import is_name, nodes

_KEEPS = ("save_for_backward", "mark_non_differentiable", "set_materialize_grads")


def saving_statements(tree: ast.Module) -> set[int]:
    """Their ids."""
    found = set[int]()
    for function in nodes(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "forward" and _has_ctx(function):
            read = {one.attr for one in ast.walk(function) if _of_ctx(one) and isinstance(one.ctx, ast.Load)}
            found |= {id(one) for one in ast.walk(function) if _saves(one, read)}
    return found


def _has_ctx(function: ast.FunctionDef) -> bool:
    return any(one.arg == "ctx" for one in function.args.args[:1])


def _of_ctx(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and is_name(node.value, "ctx")


def _saves(node: ast.AST, read: set[str]) -> bool:
    if isinstance(node, ast.Assign):
        kept = all(_of_ctx(one) and one.attr not in read for one in node.targets)
        return kept and _is_plain(node.value)
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not _of_ctx(call.func):
        return False
    return call.func.attr in _KEEPS and not call.keywords and all(map(_is_plain, call.args))


def _is_plain(node: ast.expr) -> bool:
    """A name, a constant, or several of these: to look at them does nothing."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_plain, node.elts))
    return isinstance(node, ast.Name | ast.Constant)
