"""Finds the computations that a candidate file leaves to torch, by the names under which it calls them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .allowed import METHODS, MODULE_CALLS
from .names import is_name, is_self, nodes, with_guards
from .tensor_methods import TENSOR_METHODS

FullName = Callable[[ast.AST], "str | None"]


@dataclass(frozen=True)
class LibraryCall:
    name: str
    line: int
    guarded: bool  # under an `if`, `try` or `except`


class LibraryCalls:
    """Those of one file; `own` are the names that it defines, `unread` the ids of nodes in kernels and in
    constructors."""

    def __init__(self, tree: ast.Module, own: set[str], unread: set[int], full_name: FullName) -> None:
        self.tree, self.own, self.unread, self.full_name = tree, own, unread, full_name
        self.modules = dict(self._submodules())

    def found(self) -> Iterator[LibraryCall]:
        for node, guarded in with_guards(self.tree, False):
            if id(node) in self.unread:
                continue
            name = self._library_name(node)
            if name is not None:
                yield LibraryCall(name, getattr(node, "lineno", 0), guarded)

    def _library_name(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return "torch.matmul"
        if not isinstance(node, ast.Call):
            return None
        full = self.full_name(node.func)
        if full is not None and full.split(".")[0] == "torch":
            harmless = full in MODULE_CALLS or full.startswith(
                ("torch.nn.Module", "torch.nn.Parameter", "torch.autograd", "torch.return_types")
            )
            constructs = full.startswith("torch.nn.") and full.split(".")[2][:1].isupper()
            return None if harmless or constructs else full
        if not isinstance(node.func, ast.Attribute) or full is not None:
            return None
        return self._method_name(node.func)

    def _method_name(self, func: ast.Attribute) -> str | None:
        """A call on self is torch's submodule or the file's own method; any other may be a tensor's."""
        if is_self(func.value):
            return self.modules.get(func.attr)
        if isinstance(func.value, ast.Call) and is_name(func.value.func, "super"):
            return None
        if func.attr in METHODS or func.attr in self.own or func.attr not in TENSOR_METHODS:
            return None
        return f"torch.Tensor.{func.attr}"

    def _submodules(self) -> Iterator[tuple[str, str]]:
        """`self.name = nn.Kind(...)` makes `self.name(...)` a library call named torch.nn.Kind."""
        for node in nodes(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                full = self.full_name(node.value.func) or ""
                for target in node.targets:
                    if (
                        isinstance(target, ast.Attribute)
                        and is_name(target.value, "self")
                        and full.startswith("torch.nn.")
                    ):
                        yield target.attr, full
