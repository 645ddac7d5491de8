"""Watches every condition of a candidate's text, so that what full size decides otherwise can be judged too.

    if rows > 4096: ...      grid = rows - (rows == 4096)      if N % BLOCK == 0: ... (in a kernel)

Judged shapes are small, so a condition on sizes may come out one way in every judged call and the other way
on the card. Each comparison, each test of a branch and each integer quotient is noted as it comes out, at
judged shapes and at full size (`rehearsal.py`); what only full size gives is then made to hold in a judged
call.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import ASTTransformer, FunctionRewriter, TensorHandle

NAME = "condition_seen_by_the_judge"
_MOST_FORCED = 64
"""Quotients above this are not made to hold: as a grid they would take all the time there is."""

_QUOTIENTS = (ast.FloorDiv, ast.RShift, ast.BitAnd, ast.Mod)

Site = tuple[str, int]


class Conditions:
    """Per site the outcomes so far, each with a value that gave it; `forced` are values to give instead."""

    def __init__(self) -> None:
        self.outcomes: dict[Site, dict[bool, Any]] = {}
        self.texts: dict[Site, str] = {}
        self.forced: Mapping[Site, Any] = {}

    def begin(self) -> dict[Site, dict[bool, Any]]:
        """The outcomes so far, and none from here on."""
        before, self.outcomes = self.outcomes, {}
        return before

    def new_since(self, judged: Mapping[Site, Mapping[bool, Any]]) -> dict[Site, Any]:
        """What every evaluation since `begin` gave, and none of the `judged` ones, that did reach the site or
        might have reached it."""
        found = {}
        for site, outcomes in self.outcomes.items():
            if len(outcomes) == 1 and not outcomes.keys() & judged.get(site, {}).keys():
                value = next(iter(outcomes.values()))
                if isinstance(value, bool) or abs(value) <= _MOST_FORCED:
                    found[site] = value
        return found

    def not_held(self, sites: Mapping[Site, Any]) -> dict[Site, Any]:
        """Those of `sites` that evaluations since `begin` did not all give as they are there."""
        return {
            site: value
            for site, value in sites.items()
            if self.outcomes.get(site, {}).keys() != {bool(value)}
        }

    def told(self, sites: Mapping[Site, Any]) -> str:
        """The conditions in words, a few of them."""
        words = [f"`{self.texts[site]}` is {value}" for site, value in sites.items() if site in self.texts]
        return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")

    def saw(self, scope: str, number: int, value: Any) -> Any:
        """Called in place of each watched expression, with its value; gives what the program goes on with."""
        plain = _plain(value)
        if plain is None:
            return value
        site = (scope, number)
        self.outcomes.setdefault(site, {}).setdefault(bool(plain), plain)
        if site not in self.forced:
            return value
        return _like(value, self.forced[site])

    def watch_kernels(self) -> None:
        """From now on the interpreter watches the conditions of kernels; there is no way back."""
        conditions = self

        class Watching(ASTTransformer):  # type: ignore[misc]
            def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
                watched = _Watched(conditions, node.name)
                node.body = [watched.visit(one) for one in node.body]
                visited: ast.AST = self.generic_visit(node)
                return visited

        FunctionRewriter.ast_transformer = Watching()
        setattr(triton_interpreter, NAME, self.saw)


def watched_code(source: str, file: str, conditions: Conditions) -> CodeType:
    """A candidate file's code with its conditions watched; the text of kernels is the interpreter's."""
    tree = _Watched(conditions, "").visit(ast.parse(source))
    return compile(ast.fix_missing_locations(tree), file, "exec")


class _Watched(ast.NodeTransformer):
    """Puts a call of `saw` around each condition; sites are numbered as they stand in the text."""

    def __init__(self, conditions: Conditions, scope: str) -> None:
        self.conditions, self.scope, self.count = conditions, scope, 0

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """The test of a loop is no condition to hold on to."""
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._seen(self.generic_visit(node))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return self._seen(node) if not self.scope and isinstance(node.op, _QUOTIENTS) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        node.values = [self._test(one) for one in node.values]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return self._seen(node) if isinstance(node.op, ast.Not) else node

    def visit_If(self, node: ast.If) -> ast.AST:
        node.test = self._test(node.test)
        node.body = [self.visit(one) for one in node.body]
        node.orelse = [self.visit(one) for one in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        node.test = self._test(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def _test(self, node: ast.expr) -> ast.expr:
        """A test is watched even where it is a mere number."""
        visited: ast.expr = self.visit(node)
        watched = isinstance(visited, ast.Call) and isinstance(visited.func, ast.Name)
        already = watched and isinstance(visited, ast.Call) and ast.unparse(visited.func) == NAME
        return visited if already or isinstance(visited, ast.BoolOp) else self._seen(visited, node)

    def _seen(self, node: Any, shown: ast.AST | None = None) -> ast.expr:
        text = ast.unparse(shown or node)
        while NAME in text:
            text = _without_calls(text)
        self.conditions.texts[self.scope, self.count] = text
        name = ast.copy_location(ast.Name(NAME, ast.Load()), node)
        arguments = [ast.Constant(self.scope), ast.Constant(self.count), node]
        self.count += 1
        return ast.copy_location(ast.Call(name, arguments, []), node)


def _without_calls(text: str) -> str:
    """`text` with the innermost call of `saw` replaced by what it watches."""
    start = text.rindex(NAME)
    begin = start + len(NAME) + 1
    depth, stop = 1, begin
    while depth:
        depth += {"(": 1, ")": -1}.get(text[stop], 0)
        stop += 1
    inner = text[begin : stop - 1].split(", ", 2)[2]
    return text[:start] + inner + text[stop:]


def _plain(value: Any) -> Any:
    """The boolean or the integer in a value, whatever the kernel language wraps it in; None for blocks."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tl.tensor):
        data = value.handle.data
        value = data.reshape(-1)[0] if isinstance(data, np.ndarray) and data.size == 1 else None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    return int(value) if isinstance(value, int | np.integer) else None


def _like(value: Any, forced: Any) -> Any:
    if isinstance(value, tl.constexpr):
        return tl.constexpr(forced)
    if isinstance(value, tl.tensor):
        data = np.full_like(value.handle.data, forced)
        return tl.tensor(TensorHandle(data, value.handle.dtype), value.type)
    return forced
