"""Rewrites a candidate's text so that its conditions and numbers made of sizes are seen as they come out."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import CodeType
from typing import Any

from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import ASTTransformer, FunctionRewriter

from .conditions import Conditions
from .constants import ASSIGNED, CARRIED, Constants, assigned, carried
from .joined import JOINED, NEGATED, Joining, joined, negated
from .loops import LOOP, loop_variables, trips

NAME, CHOICE = "condition_seen_by_the_judge", "choice_seen_by_the_judge"
_QUOTIENTS = (ast.FloorDiv, ast.RShift, ast.BitAnd, ast.Mod)
_MAY_BE_ZERO = {"get", "max", "min", "maximum", "minimum", "int"}
"""Calls that give zero for most sizes and something for one, or the other way round; not reductions."""

_EXTREMES = {"max", "min", "maximum", "minimum"}
_ROUNDING = {"floor", "ceil", "round", "rint", "trunc", "exp", "exp2", "log", "log2", "sigmoid", "to"}
"""Calls that make zero of most sizes and something of one, in wrappers or of a kernel's arguments alone."""

_OF_NUMBERS = {
    *_MAY_BE_ZERO, *_ROUNDING, "cdiv", "range", "sqrt", "float", "tl", "triton", "math", NAME, CHOICE,
}  # fmt: skip
_OF_PLACES = {"program_id", "num_programs", "arange", "to"}


def watch_kernels(conditions: Conditions) -> None:
    """From now on the interpreter watches the conditions of kernels; there is no way back."""

    class Watching(ASTTransformer):  # type: ignore[misc]
        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
            watched = _Watched(conditions, node.name, {one.arg for one in node.args.args})
            node.body = [Joining().visit(watched.visit(one)) for one in node.body]
            visited: ast.AST = Constants().visit(node)
            return visited

    FunctionRewriter.ast_transformer = Watching()
    setattr(triton_interpreter, NAME, conditions.saw)
    setattr(triton_interpreter, CHOICE, conditions.chose)
    setattr(triton_interpreter, ASSIGNED, assigned)
    setattr(triton_interpreter, CARRIED, carried)
    setattr(triton_interpreter, JOINED, joined)
    setattr(triton_interpreter, NEGATED, negated)

    def loop(scope: str, number: int, make: Any, *bounds: Any, **more: Any) -> Any:
        conditions.saw(scope, number, trips(*bounds) > 1)
        return loop_variables(make, *bounds, **more)

    setattr(triton_interpreter, LOOP, loop)


def watched_code(source: str, file: str, conditions: Conditions) -> CodeType:
    """A candidate file's code with its conditions watched; the text of kernels is the interpreter's."""
    tree = _Watched(conditions, "").visit(ast.parse(source))
    return compile(ast.fix_missing_locations(tree), file, "exec")


class _Watched(ast.NodeTransformer):
    """Puts a call of `saw` around each condition; sites are numbered as they stand in the text."""

    def __init__(self, conditions: Conditions, scope: str, arguments: Iterable[str] = ()) -> None:
        self.conditions, self.scope, self.count = conditions, scope, 0
        self.arguments = set(arguments)  # and what is made of them alone
        self.sizes = set(arguments)  # the same with places of programs and lanes, and without what was loaded

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        """The test of a loop is no condition to hold on to."""
        self.conditions.spins |= bool(self.scope)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        of_sizes = bool(self.scope) and self._of_sizes(node)
        self.generic_visit(node)
        if of_sizes:
            self.conditions.compared.add((self.scope, self.count))
        elif not self.scope:
            self.conditions.of_wrapper.add((self.scope, self.count))
        return self._seen(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, _QUOTIENTS):
            return node
        return self._amount(node) if self.scope else self._seen(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name, shown = _called(node), ast.parse(ast.unparse(node), mode="eval").body
        of_two = name in _EXTREMES and len(node.args) == 2 and not node.keywords
        chooses = of_two and (not self.scope or self._of_sizes(node))
        rounds = name in _ROUNDING and (not self.scope or self._of_arguments(node))
        self.generic_visit(node)
        if chooses:
            return self._amount(self._choice(node, name, shown), shown)
        return self._amount(node) if rounds or name in _MAY_BE_ZERO else node

    def _choice(self, node: ast.Call, name: str, shown: ast.expr) -> ast.Call:
        """Watch which of two numbers is the larger."""
        site = [ast.Constant(self.scope), ast.Constant(self.count)]
        self.conditions.texts[self.scope, self.count] = ast.unparse(shown)
        self.count += 1
        larger = ast.Constant(name.startswith("max"))
        called = ast.copy_location(ast.Name(CHOICE, ast.Load()), node)
        return ast.copy_location(ast.Call(called, [*site, larger, node.func, *node.args], []), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self._assigned(node.targets, node.value)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self._assigned([node.target], ast.Tuple([node.target, node.value]))
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        self._assigned([node.target], ast.Tuple([node.iter, ast.Name("program_id")]))
        over_range = isinstance(node.iter, ast.Call) and _called(node.iter) == "range"
        shown = ast.unparse(node.iter)
        self.generic_visit(node)
        if self.scope and over_range and isinstance(node.iter, ast.Call):
            given, site = node.iter, (self.scope, self.count)
            self.conditions.texts[site] = f"{ast.unparse(node.target)} in {shown} again"
            self.conditions.amounts.add(site)  # what is right in its first turn may not be in its second
            self.count += 1
            told = [*(ast.Constant(one) for one in site), given.func, *given.args]
            node.iter = ast.Call(ast.Name(LOOP, ast.Load()), told, given.keywords)
        return ast.fix_missing_locations(node)

    def _assigned(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        self.arguments = self.arguments | names if self._of_arguments(value) else self.arguments - names
        self.sizes = self.sizes | names if self._of_sizes(value) else self.sizes - names

    def _amount(self, node: ast.expr, shown: ast.expr | None = None) -> ast.expr:
        if self.scope and not self._of_sizes(node):
            return node
        site = (self.scope, self.count)
        self.conditions.amounts.add(site)
        if self.scope and self._of_arguments(node):
            self.conditions.of_arguments.add(site)
        return self._seen(node, shown)

    def _of_arguments(self, node: ast.expr) -> bool:
        return _made_of(node, _OF_NUMBERS, self.arguments)

    def _of_sizes(self, node: ast.expr) -> bool:
        return _made_of(node, _OF_NUMBERS | _OF_PLACES, self.sizes)

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


def _made_of(node: ast.expr, calls: set[str], names: set[str]) -> bool:
    used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    called = {_called(one) for one in ast.walk(node) if isinstance(one, ast.Call)}
    return called <= calls and used <= names | calls


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return f"tl.{node.func.attr}" if node.func.attr in ("max", "min") else node.func.attr
    return getattr(node.func, "id", "")


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
