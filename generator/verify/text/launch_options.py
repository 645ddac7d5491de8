"""Finds the statements of a wrapper that say how a kernel is launched and nothing else: how many warps, say.

    num_warps = 4
    if BLOCK_SIZE >= 32768: num_warps = 32        (no judged call has such rows)

Such a number changes no result in any call, so that no call need reach it. It may be handed back by a helper
of the file, unpacked, and kept in `ctx`; whoever asks what it is, or hands it to anything but a launch, makes
it a number like any other.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .names import is_name, is_stored, nodes

_OPTIONS = {
    "num_warps": frozenset((1, 2, 4, 8, 16, 32)),
    "num_stages": frozenset(range(9)),
    "num_ctas": frozenset((1, 2, 4, 8, 16)),
    "maxnreg": frozenset(range(16, 256)),
}
"""Arguments of a launch that no kernel can read, with the values that they may have."""

_JIT, _TRITON = re.compile(r"triton\.jit\b"), re.compile(r"triton\.(jit|autotune|heuristics)\b")

Place = tuple[str, int | None]
"""A function of the file, and which of what it returns; None: all of it."""


def option_statements(tree: ast.Module) -> set[int]:
    """The ids of statements that give a literal to a name which flows into launch options alone."""
    options, found = _Options(tree), set[int]()
    for function in options.functions:
        for node in ast.walk(function):
            if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and is_stored(node.targets[0])):
                continue
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            into = options.sinks(function, node.targets[0].id, set()) if type(value) is int else None
            if into and all(value in _OPTIONS[one] for one in into):
                found.add(id(node))
    return found


class _Options:
    """Where names of one file flow; None stands for anywhere else."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef)]
        self.parents = {id(child): node for node in nodes(tree) for child in ast.iter_child_nodes(node)}
        self.kernels = {one.name for one in self.functions if _is_kernel(one)} - set(self._rebound())
        self.told = {one.value for one in nodes(tree) if isinstance(one, ast.Constant)}
        for one in self.functions:
            if _is_kernel(one):
                self.told |= {given.arg for given in ast.walk(one.args) if isinstance(given, ast.arg)}

    def _rebound(self) -> Iterator[str]:
        """Names that may stand for something else than the one function that has them."""
        names = [one.name for one in nodes(self.tree) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
        yield from (name for name in names if names.count(name) > 1)
        yield from (one.id for one in nodes(self.tree) if is_stored(one))

    def sinks(self, function: ast.FunctionDef, name: str, seen: set[tuple[int, str]]) -> set[str] | None:
        """The options that `name` of `function` ends up in, if it ends up nowhere else."""
        if (id(function), name) in seen:
            return set()
        seen.add((id(function), name))
        found = set[str]()
        for node in ast.walk(function):
            if is_name(node, name) and not is_stored(node):
                into = self._sink(function, node, seen)
                if into is None:
                    return None
                found |= into
        return found

    def _sink(self, function: ast.FunctionDef, node: ast.AST, seen: set[tuple[int, str]]) -> set[str] | None:
        parent = self.parents[id(node)]
        if isinstance(parent, ast.keyword):
            return self._launched(parent)
        if isinstance(parent, ast.Assign) and parent.value is node:
            return self._kept(parent)
        place = None
        if isinstance(parent, ast.Tuple):
            place = parent.elts.index(node) if node in parent.elts else None
            if any(isinstance(one, ast.Starred) for one in parent.elts):
                return None
            parent = self.parents[id(parent)]
        return self._returned((function.name, place), seen) if isinstance(parent, ast.Return) else None

    def _launched(self, given: ast.keyword) -> set[str] | None:
        """The option of a launch that is `given`, unless a kernel has it, or a grid asks for it by name."""
        call = self.parents[id(given)]
        launch = call.func if isinstance(call, ast.Call) else None
        kernel = launch.value if isinstance(launch, ast.Subscript) else None
        known = isinstance(kernel, ast.Name) and kernel.id in self.kernels
        return {given.arg} if known and given.arg in _OPTIONS and given.arg not in self.told else None

    def _kept(self, node: ast.Assign) -> set[str] | None:
        """Under a name of `ctx` for a backward pass, which may launch with it."""
        found = set[str]()
        for target in node.targets:
            kept = isinstance(target, ast.Attribute) and is_name(target.value, "ctx")
            if not kept or target.attr in self.told:  # type: ignore[attr-defined]
                return None
            for one in nodes(self.tree):
                if isinstance(one, ast.Attribute) and one.attr == target.attr:  # type: ignore[attr-defined]
                    given = self.parents[id(one)]
                    into = self._launched(given) if isinstance(given, ast.keyword) else None
                    if into is None and isinstance(one.ctx, ast.Load):
                        return None
                    found |= into or set()
        return found

    def _returned(self, place: Place, seen: set[tuple[int, str]]) -> set[str] | None:
        """Where callers, all of which have to unpack it, let it flow."""
        name, index = place
        own = any(isinstance(one, ast.FunctionDef) and one.name == name for one in self.tree.body)
        if not own or name in self._rebound():
            return None
        found = set[str]()
        for node in nodes(self.tree):
            if is_name(node, name):
                into = self._called(node, index, seen)
                if into is None:
                    return None
                found |= into
        return found

    def _called(self, called: ast.AST, index: int | None, seen: set[tuple[int, str]]) -> set[str] | None:
        """Where the value of one call flows, or the part of it at `index`."""
        call, target = self.parents[id(called)], self._unpacked(called, index)
        given, around = self.parents[id(call)], self._around(called)
        if isinstance(given, ast.keyword) and isinstance(call, ast.Call) and index is None:
            return self._launched(given) if call.func is called else None
        return self.sinks(around, target, seen) if target and around else None

    def _unpacked(self, called: ast.AST, index: int | None) -> str:
        """The name that a call's value, or the part of it at `index`, is given to."""
        call = self.parents[id(called)]
        given = self.parents[id(call)]
        if not (isinstance(call, ast.Call) and call.func is called and isinstance(given, ast.Assign)):
            return ""
        target: ast.AST | None = given.targets[0] if len(given.targets) == 1 else None
        if index is not None:
            whole = isinstance(target, ast.Tuple) and all(is_stored(one) for one in target.elts)
            target = target.elts[index] if whole and index < len(target.elts) else None  # type: ignore[union-attr]
        return target.id if target is not None and is_stored(target) else ""

    def _around(self, node: ast.AST) -> ast.FunctionDef | None:
        """The innermost function around a node."""
        for one in self._above(node):
            if isinstance(one, ast.FunctionDef):
                return one
        return None

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while id(node) in self.parents:
            node = self.parents[id(node)]
            yield node


def _is_kernel(function: ast.FunctionDef) -> bool:
    marks = [ast.unparse(one) for one in function.decorator_list]
    return any(map(_JIT.match, marks)) and all(map(_TRITON.match, marks))
