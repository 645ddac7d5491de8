"""Reads a candidate file as a syntax tree and refuses what no kernel file needs, before any of it runs.

Deny by default: imports come from a list, and every call on torch or on a tensor that is not known to be an
allocation, a view or a question is a library call, which must be declared. The text cannot show everything
(an operator between two tensors looks like one between two integers); what it misses, `recorder.py` sees when
it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ..verdict import Cause, Fault
from .allowed import (
    DUNDERS,
    FOR_WEIGHTS,
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_BASES,
    FORBIDDEN_DEFINITIONS,
    FORBIDDEN_KEYWORDS,
    FORBIDDEN_NAMES,
    IMPORTS,
    IN_PART,
    KERNEL_INSIDES,
    MODULE_FORBIDDEN,
    OPERATORS,
)
from .asked import asked
from .hideouts import hideout, keeps_state
from .kernel_text import KernelText
from .library_calls import LibraryCall, LibraryCalls
from .names import aliases, bound_by_functions, is_name, is_self, nodes, through_a_module

_ASKING = ("getattr", "hasattr")
_ROOTS = {"torch", "triton"}


@dataclass(frozen=True)
class Scan:
    """`library_calls` are torch computations left in the file, each under its full name."""

    fault: Fault | None = None
    library_calls: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


def scan(source: str, allowed_calls: Sequence[str] = ()) -> Scan:
    """The first fault in the file, or the library calls that it declares; "*" declares any."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        return Scan(Fault("not-loadable", f"the file does not parse: {error}"))
    reader = _Reader(tree)
    fault = reader.fault() or _undeclared(reader.calls, allowed_calls)
    names = tuple(sorted({call.name for call in reader.calls}))
    return Scan(fault, names, ("keeps-state",) if keeps_state(tree) else ())


def _undeclared(calls: list[LibraryCall], allowed: Sequence[str]) -> Fault | None:
    """Calls not declared, or standing where they may replace a kernel; who declares all claims no kernel."""
    if "*" in allowed:
        return None
    for call in calls:
        if call.name not in allowed:
            return Fault(
                "library-call", f"line {call.line}: {call.name} is left to torch and was not declared"
            )
    for call in calls:
        if call.guarded:
            return Fault(
                "fallback-branch",
                f"line {call.line}: {call.name} stands in a branch, so a kernel may be bypassed",
            )
    return None


def _closed(full: str) -> bool:
    """Whether nothing in a kernel file may be called by this name."""
    module, _, rest = full.partition(".")
    if rest and rest not in IN_PART.get(module, {rest}):
        return True
    return full not in OPERATORS and (full.startswith(MODULE_FORBIDDEN) or through_a_module(full))


def _lists_modules(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether it is `self.modules()`, called on the spot: of sys, whose `modules` is a table and cannot be
    called, that would give nothing."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    asked = node.func
    return isinstance(asked, ast.Attribute) and asked.attr == "modules" and is_name(asked.value, "self")


def construction(tree: ast.Module) -> set[int]:
    """The ids of what constructors are made of: their own nodes, and those of functions of the file that
    nothing else names."""
    makers = [one for one in nodes(tree) if isinstance(one, ast.FunctionDef) and one.name in _MAKERS]
    found = {id(inner) for node in makers for inner in ast.walk(node)}
    helpers = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    while True:
        named = [one for one in nodes(tree) if isinstance(one, ast.Name) and one.id in helpers]
        others = {one.id for one in named if id(one) not in found}
        ours = {one.id for one in named} - others
        if not ours:
            return found
        found |= {id(inner) for name in ours for inner in ast.walk(helpers.pop(name))}


_MAKERS = ("__init__", "reset_parameters")


class _Reader:
    """One pass over the tree; kernels (`@triton.jit` functions) and constructors, which initialise weights
    that the judge replaces, are read for forbidden names, not for torch calls."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.imported = dict(aliases(tree))
        self.own = {node.name for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        found = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef) and self._is_kernel(node)]
        self.kernel_text = KernelText(tree, found, self._full_name)
        self.kernels = {id(inner) for node in found for inner in ast.walk(node)}
        self.bound = bound_by_functions(tree)
        self.read = {id(node.value) for node in nodes(tree) if isinstance(node, ast.Attribute)}
        self.called = {id(node.func) for node in nodes(tree) if isinstance(node, ast.Call)}
        self.construction = construction(tree)
        self.listing = {
            id(node.func) for node in nodes(tree) if id(node) in self.construction and _lists_modules(node)
        }
        self.of_operators = {
            id(node.value)
            for node in nodes(tree)
            if isinstance(node, ast.Attribute) and self._full_name(node) in OPERATORS
        }
        unread = self.kernels | self.construction
        self.calls = list(LibraryCalls(tree, self.own, unread, self._full_name).found())

    def fault(self) -> Fault | None:
        found = [(node, told) for node in nodes(self.tree) if (told := self._forbidden(node)) is not None]
        found.sort(key=lambda one: isinstance(one[0], ast.Import | ast.ImportFrom))
        for node, (cause, what) in found:
            return Fault(cause, f"line {getattr(node, 'lineno', 0)}: {what}")
        odd = self.kernel_text.fault()
        if odd is not None:
            return Fault("forbidden-code", f"line {getattr(odd[0], 'lineno', 0)}: {odd[1]}")
        return self._swallowed() or self._hidden()

    def _hidden(self) -> Fault | None:
        odd = hideout(self.tree, self._full_name) or asked(
            self.tree, self.kernel_text.own, self.kernels, self._full_name
        )
        if odd is None:
            return None
        return Fault("forbidden-code", f"line {getattr(odd[0], 'lineno', 0)}: it {odd[1]}")

    def _forbidden(self, node: ast.AST) -> tuple[Cause, str] | None:
        if isinstance(node, ast.Import):
            return next((self._bad_import(one.name) for one in node.names if one.name not in IMPORTS), None)
        if isinstance(node, ast.ImportFrom):
            return self._bad_from(node)
        if isinstance(node, ast.Name):
            return self._bad_name(node)
        if isinstance(node, ast.Attribute):
            return self._bad_attribute(node)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            return self._bad_definition(node)
        if isinstance(node, ast.Global | ast.Nonlocal):
            return "forbidden-code", f"it keeps state outside ModelNew ({', '.join(node.names)})"
        if isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            return self._bad_target(node)
        if isinstance(node, ast.Call):
            return self._bad_call(node)
        return None

    def _bad_name(self, node: ast.Name) -> tuple[Cause, str] | None:
        """Looking attributes up is read where it is called, so it may not be handed on. A parameter may be
        called as a builtin is: torch's own layers take an `input`."""
        handed_on = node.id in _ASKING and id(node) not in self.called
        handed_on |= self.imported.get(node.id) in IN_PART and id(node) not in self.read
        hook = node.id.startswith("__") and isinstance(node.ctx, ast.Store) and node.id not in DUNDERS
        reaches = node.id in FORBIDDEN_NAMES and (id(node) not in self.bound or node.id.startswith("__"))
        if reaches or handed_on or hook:
            return (
                "forbidden-code",
                f"it {'sets' if hook else 'hands on' if handed_on else 'names'} {node.id}",
            )
        return None

    def _bad_import(self, name: str) -> tuple[Cause, str]:
        return "forbidden-code", f"it imports {name}, which a kernel file does not need"

    def _bad_from(self, node: ast.ImportFrom) -> tuple[Cause, str] | None:
        if node.level or node.module not in IMPORTS:
            return self._bad_import("." * node.level + (node.module or ""))
        for one in node.names:
            full = f"{node.module}.{one.name}"
            if one.name == "*" or _closed(full):
                return self._bad_import(full)
        return None

    def _bad_attribute(self, node: ast.Attribute) -> tuple[Cause, str] | None:
        if node.attr.startswith("__") and node.attr not in DUNDERS:
            return "forbidden-code", f"it reaches for {node.attr}"
        private = node.attr.startswith("_") and not node.attr.startswith("__")
        barred = node.attr in FORBIDDEN_ATTRIBUTES and id(node) not in self.listing
        if barred or (private and not is_self(node.value)):
            return "forbidden-code", f"it reaches for {ast.unparse(node)}"
        full = self._full_name(node)
        weights = full in FOR_WEIGHTS and id(node) in self.construction
        if full is not None and _closed(full) and id(node) not in self.of_operators and not weights:
            return "forbidden-code", f"it uses {full}"
        return None

    def _bad_definition(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) -> tuple[Cause, str] | None:
        if node.name in FORBIDDEN_DEFINITIONS:
            return "forbidden-code", f"it defines {node.name}"
        if not isinstance(node, ast.ClassDef):
            return None
        for base in node.bases:
            name = (self._full_name(base) or ast.unparse(base)).rsplit(".", 1)[-1]
            if name in FORBIDDEN_BASES:
                return "forbidden-code", f"{node.name} derives from {name}"
        has_forward = any(isinstance(one, ast.FunctionDef) and one.name == "forward" for one in node.body)
        if node.name == "ModelNew" and not has_forward:
            return "inherited", "ModelNew has no forward of its own"
        return None

    def _bad_target(self, node: ast.Assign | ast.AugAssign | ast.Delete) -> tuple[Cause, str] | None:
        targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
        for target in targets:
            if not isinstance(target, ast.Attribute):
                continue
            if target.attr.startswith("__"):
                return "forbidden-code", f"it sets {ast.unparse(target)}"
            full = self._full_name(target)
            if full is not None and full.split(".")[0] in _ROOTS:
                return "forbidden-code", f"it replaces {full}"
        return None

    def _bad_call(self, node: ast.Call) -> tuple[Cause, str] | None:
        full = self._full_name(node.func) or ""
        for one in node.keywords:
            if one.arg in FORBIDDEN_KEYWORDS:
                return FORBIDDEN_KEYWORDS[one.arg]
        if id(node) in self.kernels and full.split(".")[0] == "torch":
            return "forbidden-code", f"a kernel calls {full}, which only an interpreter can run"
        if is_name(node.func, "type") and len(node.args) != 1:
            return "forbidden-code", "it makes a class at run time"
        if not any(is_name(node.func, asking) for asking in _ASKING):
            return None
        name = node.args[1] if len(node.args) > 1 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and not name.value.startswith("_"):
            inside = name.value in KERNEL_INSIDES
            return (
                ("forbidden-code", f"it asks for {name.value}, which tells how kernels are run")
                if inside
                else None
            )
        return "forbidden-code", "it looks attributes up by computed or private names"

    def _swallowed(self) -> Fault | None:
        """A try around anything but imports can turn a failing kernel into a library call."""
        for node in nodes(self.tree):
            if isinstance(node, ast.Try) and not all(
                isinstance(one, ast.Import | ast.ImportFrom) for one in node.body
            ):
                return Fault(
                    "fallback-branch",
                    f"line {node.lineno}: a try stands around code that may launch a kernel",
                )
        return None

    def _is_kernel(self, node: ast.FunctionDef) -> bool:
        marks = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        return any(self._full_name(mark) in ("triton.jit", "triton.runtime.jit.jit") for mark in marks)

    def _full_name(self, node: ast.AST) -> str | None:
        """The dotted name with import aliases resolved, for names that begin at an import."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id)
        if isinstance(node, ast.Attribute):
            head = self._full_name(node.value)
            return f"{head}.{node.attr}" if head is not None else None
        return None
