"""Refuses text that keeps or learns what no look at the file's own objects would show.

State belongs where `kept.py` sees it: in the instance, the file's names and what hangs on them, not on
objects of other modules. An address says on which machine the code runs, so it may be compared, looked up
and tested for alignment, no more. And a name that nothing in the file binds is the interpreter's.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from .allowed import PLAIN_NAMES
from .names import is_name, nodes

FullName = Callable[[ast.AST], "str | None"]

_LOOKED_UP = ("get", "add", "setdefault", "pop", "append")
_ALIGNMENT = 4096
_ANYWHERE = ("block_shape", "requires_grad")
"""Attributes that hooks of descriptors and constructors set on what they are handed."""


def hideout(tree: ast.Module, full_name: FullName) -> tuple[ast.AST, str] | None:
    """The first place that reaches for one, and what it does."""
    parents = {id(child): node for node in nodes(tree) for child in ast.iter_child_nodes(node)}
    bound, own = set(_bound(tree)), set(_own(tree))
    pointers = {
        name for node in nodes(tree) for name, value in _assignments(node) if _is_pointer(value, set())
    }
    for node in nodes(tree):
        parent = parents.get(id(node), tree)
        told = _unbound(node, bound) or _foreign(node, own) or _shared(node, full_name, parent)
        if not told and _is_pointer(node, pointers) and not _compared(node, parent):
            told = "reckons with an address"
        if told:
            return node, told
    return None


def keeps_state(tree: ast.Module) -> bool:
    """Whether a method but the constructor assigns to self, so that calls can see earlier ones."""
    methods = [
        method
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    ]
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_name(node.value, "self")
        for method in methods
        for node in ast.walk(method)
    )


def _unbound(node: ast.AST, bound: set[str]) -> str:
    strange = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound
    return f"names {node.id}, which nothing in the file binds" if strange else ""  # type: ignore[attr-defined]


def _foreign(node: ast.AST, own: set[str]) -> str:
    """An attribute set on anything but self, ctx, or an object of the file."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)):
        return ""
    if node.attr in _ANYWHERE or _root(node) in own:
        return ""
    return f"sets {ast.unparse(node)}, which is not the file's own"


def _shared(node: ast.AST, full_name: FullName, parent: ast.AST) -> str:
    """An object of another module that is no function, class, dtype or number: a list to write to, say, or
    something that differs where there is no card."""
    if isinstance(parent, ast.Attribute) or not isinstance(node, ast.Attribute | ast.Name):
        return ""
    full = full_name(node)
    parts = (full or "").split(".")
    value: Any = sys.modules.get(parts[0])
    if value is None or parts[0] == "triton" or full in PLAIN_NAMES:
        return ""
    for part in parts[1:]:
        value = getattr(value, part, None)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = number or callable(value) or type(value).__module__ in ("torch", "typing") or _is_module(value)
    return "" if fits else f"uses {full}, which no kernel file needs"


def _is_module(value: object) -> bool:
    return isinstance(value, ModuleType) or type(value).__module__ == "__future__"


def _is_pointer(node: ast.AST, names: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return isinstance(node.ctx, ast.Load) and node.id in names
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return called and node.func.attr in ("data_ptr", "const_data_ptr")  # type: ignore[attr-defined]


def _compared(node: ast.AST, parent: ast.AST) -> bool:
    """Whether an address is only held beside another, looked up, or tested for alignment."""
    if isinstance(parent, ast.Compare):
        return all(isinstance(one, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for one in parent.ops)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mod | ast.BitAnd):
        right = parent.right
        return isinstance(right, ast.Constant) and isinstance(right.value, int) and right.value <= _ALIGNMENT
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in _LOOKED_UP
    return isinstance(
        parent, ast.Assign | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Subscript | ast.ListComp
    )


def _bound(tree: ast.Module) -> Iterator[str]:
    yield from dir(builtins)
    yield from ("__name__", "__file__", "__doc__", "__class__")
    for node in nodes(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name


def _own(tree: ast.Module) -> Iterator[str]:
    """Names whose attributes `kept.py` looks at: self, and what the file makes of its own classes."""
    yield from ("self", "cls", "ctx")
    classes = {node.name for node in nodes(tree) if isinstance(node, ast.ClassDef)}
    yield from (one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef))
    for node in nodes(tree):
        for name, value in _assignments(node):
            maker = value.func if isinstance(value, ast.Call) else None
            made = isinstance(maker, ast.Name) and maker.id in classes
            if made or _root(value) == "self":
                yield name


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names with what they stand for; `a, b = x, y` is two."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        value: ast.expr = node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        yield from ((one.id, what) for one, what in pairs if isinstance(one, ast.Name))


def _root(node: ast.AST) -> str:
    """The name that a chain of attributes and places begins at."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
