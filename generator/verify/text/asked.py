"""Refuses text that asks an object what it is: a compiled kernel answers otherwise than an interpreted one.

A wrapper launches its kernels, hands them to its own functions and keeps them in tables. Who prints one, asks
for its type, or matches a pattern of attributes on it learns where it runs. What such text does not name
(a kernel behind another name, say) answers as a compiled one would, see `stand_in.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from .names import is_name, is_self, nodes

FullName = Callable[[ast.AST], "str | None"]

_ASKING = {
    "ascii", "callable", "format", "hash", "id", "isinstance", "issubclass", "print", "repr", "str",
    "type",
}  # fmt: skip
_OF_TEXT = {"format", "join"}
_OWN_ALONE = {"__class__", "__repr__", "__doc__", "__annotations__"}


def asked(
    tree: ast.Module, kernels: set[str], inside: set[int], full_name: FullName
) -> tuple[ast.AST, str] | None:
    """The first place that asks, and what it does; `kernels` are names of kernels, `inside` the ids of nodes
    in their bodies."""
    for node in nodes(tree):
        if id(node) in inside:
            told = _in_a_kernel(node)
        else:
            told = _of_its_own(node) or _strange(node, kernels, full_name)
        if told:
            return node, told
    return None


def _in_a_kernel(node: ast.AST) -> str:
    """Numbers of the interpreter's are Python's, where a compiler has tensors and constants."""
    if isinstance(node, ast.Compare) and any(isinstance(one, ast.JoinedStr) for one in ast.walk(node)):
        return "compares what it would print, as only an interpreter can"
    return ""


def _of_its_own(node: ast.AST) -> str:
    """Questions that no object but the file's own need answer."""
    if isinstance(node, ast.MatchClass) and (node.patterns or node.kwd_attrs):
        return "matches an object by its attributes"
    if isinstance(node, ast.Attribute) and node.attr in _OWN_ALONE:
        parent = isinstance(node.value, ast.Call) and is_name(node.value.func, "super")
        return "" if is_self(node.value) or parent else f"reaches for {ast.unparse(node)}"
    return ""


def _strange(node: ast.AST, kernels: set[str], full_name: FullName) -> str:
    for part in _questioned(node):
        for one in ast.walk(part):
            if isinstance(one, ast.Name) and (one.id in kernels or _of_triton(full_name(one))):
                return f"asks what {one.id} is"
    return ""


def _questioned(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions whose text, type or identity it takes."""
    if isinstance(node, ast.FormattedValue):
        yield node.value
    elif isinstance(node, ast.Call):
        by_name = isinstance(node.func, ast.Name) and node.func.id in _ASKING
        if by_name or (isinstance(node.func, ast.Attribute) and node.func.attr in _OF_TEXT):
            yield from node.args
            yield from (one.value for one in node.keywords)


def _of_triton(full: str | None) -> bool:
    """Functions such as cdiv give numbers, which may be shown."""
    return full is not None and full.startswith("triton.language")
