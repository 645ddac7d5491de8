"""Finds the lines of a candidate's wrapper that no judged call ever reached: nothing is known of what they
do.

A branch for large sizes, for the hundredth call or for a known seed is right as long as nobody enters it.
Kernels are not looked at (the interpreter runs them in another form), nor constructors, nor lines that only
refuse, that only say how many warps a launch has (`launch_options.py`) or keep something for a backward pass
(`saving.py`), that are for other ops than this one (`fixed.py`), or that no size leads to (`all_sizes.py`).
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from .all_sizes import never
from .fixed import Fixed
from .launch_options import option_statements
from .saving import saving_statements
from .settled import Settled

_SILENT = (ast.Raise, ast.Assert, ast.Pass, ast.FunctionDef, ast.ClassDef)
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_NOT_WRAPPER = ("__init__", "reset_parameters")
_DECORATORS = ("jit", "constexpr_function", "register_fake")


class Reached:
    """The lines of files that ran while `watching`; a file is known by its name."""

    def __init__(self) -> None:
        self.lines: dict[str, set[int]] = {}
        self._codes: dict[CodeType, set[int] | None] = {}

    def follow(self, file: str) -> None:
        self.lines.setdefault(file, set())

    def all(self) -> set[int]:
        """Of all files together, which are one but for their numbers."""
        return set().union(*self.lines.values())

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)

    def _entered(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if code not in self._codes:
            self._codes[code] = self.lines.get(code.co_filename)
        lines = self._codes[code]
        if lines is None:
            return None
        lines.add(frame.f_lineno)

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            lines.add(frame.f_lineno)
            return line

        return line


@contextlib.contextmanager
def unwatched() -> Iterator[None]:
    """What runs in the block is a kernel, and is not traced."""
    before = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(before)


def unreached(source: str, reached: set[int], inputs: int | None = None) -> list[int]:
    """First lines of statements in the wrapper's functions that did not run, though their function did; those
    that change no result, and branches for other ops than one with so many `inputs`, need not have."""
    tree = ast.parse(source)
    fixed, found = Fixed(Settled(tree), inputs), []
    needless = option_statements(tree) | saving_statements(tree)
    for function in wrapper_functions(tree):
        statements = list(_statements(function.body))
        if any(_span(one) & reached for one in statements):
            spared = needless | set(_for_other_ops(function, fixed, reached)) | never(tree, function)
            left = (one for one in statements if id(one) not in spared)
            found += [one.lineno for one in left if not _span(one) & reached]
    return sorted(found)


def _for_other_ops(function: ast.FunctionDef, fixed: Fixed, reached: set[int]) -> Iterator[int]:
    """The ids of statements in branches that nobody entered, though the condition was met and is the same in
    every call; and of those after a branch that was entered and does not come back."""
    for node, after in _own_branches(function.body):
        test, branches = _branches(node)
        if _span(test) & reached and fixed.holds(function, test):
            entered = [one for one in branches if _reached(one, reached)]
            ends = any(one and isinstance(one[-1], ast.Return | ast.Raise) for one in entered)
            for branch in (*branches, *([after] if ends else [])):
                if not _reached(branch, reached):
                    yield from map(id, _statements(branch))


def _branches(node: ast.If | ast.Match) -> tuple[ast.expr, list[list[ast.stmt]]]:
    if isinstance(node, ast.If):
        return node.test, [node.body, node.orelse]
    return node.subject, [case.body for case in node.cases]


def _reached(branch: list[ast.stmt], reached: set[int]) -> bool:
    return any(_span(one) & reached for one in _statements(branch))


def _own_branches(body: list[ast.stmt]) -> Iterator[tuple[ast.If | ast.Match, list[ast.stmt]]]:
    """The conditions of a function itself, not of those that it defines, and what follows each."""
    for place, one in enumerate(body):
        if isinstance(one, ast.If | ast.Match):
            yield one, body[place + 1 :]
        if isinstance(one, _COMPOUND):
            for name in ("body", "orelse", "finalbody"):
                yield from _own_branches(getattr(one, name, []))
        elif isinstance(one, ast.Match):
            for case in one.cases:
                yield from _own_branches(case.body)


def wrapper_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in _NOT_WRAPPER and not _elsewhere(node):
            yield node


def _elsewhere(node: ast.FunctionDef) -> bool:
    """Whether a decorator has it compiled, or keeps it for tensors without memory."""
    return any(mark in ast.unparse(one) for one in node.decorator_list for mark in _DECORATORS)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those that do something, branches opened; what only refuses, defines or documents is left out."""
    refuses = bool(body) and isinstance(body[-1], ast.Raise)
    for one in body:
        if isinstance(one, _SILENT) or _is_text(one):
            continue
        if isinstance(one, _COMPOUND):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(one, name, []))
        elif isinstance(one, ast.Match):
            for case in one.cases:
                yield from _statements(case.body)
        elif not refuses:
            yield one


def _is_text(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _span(one: ast.stmt | ast.expr) -> set[int]:
    return set(range(one.lineno, (one.end_lineno or one.lineno) + 1))
