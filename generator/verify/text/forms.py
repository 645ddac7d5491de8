"""Reads what an expression of a wrapper is: a tensor's rank or dtype, None, a constant."""

from __future__ import annotations

import ast

from .names import is_name

_SAME_FORM = {"contiguous", "detach", "clone"}


def form_of(node: ast.expr) -> str | None:
    """The name whose dimensions or dtype an expression is."""
    asked: tuple[str, ...] = ("dim", "ndimension", "is_floating_point", "is_complex", "element_size")
    read: tuple[str, ...] = ("ndim", "dtype")
    if isinstance(node, ast.Call) and is_name(node.func, "len") and len(node.args) == 1:
        node, asked, read = node.args[0], ("size",), ("shape",)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in asked:
        return node.func.value.id if isinstance(node.func.value, ast.Name) and not node.args else None
    if isinstance(node, ast.Attribute) and node.attr in read:
        return node.value.id if isinstance(node.value, ast.Name) else None
    return None


def keeps_form(value: ast.expr, name: str) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _SAME_FORM and is_name(called.value, name)


def chooses(node: ast.AST) -> bool:
    """Whether a constructor decides something there by more than its own arguments' truth, or their being
    None: by a size, say."""
    if isinstance(node, ast.If | ast.IfExp):
        return not _is_flag(node.test)
    return isinstance(node, ast.BoolOp) and not all(map(_is_flag, node.values))


def _is_flag(test: ast.expr) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    if isinstance(test, ast.BoolOp):
        return all(map(_is_flag, test.values))
    compared = isinstance(test, ast.Compare) and all(map(is_none, test.comparators))
    return isinstance(test, ast.Name) or (compared and isinstance(test.left, ast.Name))  # type: ignore[attr-defined]


def is_test_for_none(name: str, test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and is_name(test.left, name) and all(map(is_none, test.comparators))


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_constant(node: ast.expr) -> bool:
    """A number, a dtype of torch's, or several of these."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(is_constant, node.elts))
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Attribute) and is_name(node.value, "torch")
    )
