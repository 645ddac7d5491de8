"""Finds statements of a wrapper's helpers that no size leads to, by trying all small ones.

    size = (n + 1) // 2 + 1
    if (size - 1) * 2 >= n + 2: size -= 1      (torch's own formula for pools: for this window it never is)

Only helpers that reckon with whole numbers are tried, and only those whose constants are so small that what
holds for the sizes tried holds for all: `n > 100000` is not among them. Nothing of the candidate's is run:
its text is worked through here.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .arguments import parameters
from .names import nodes

_LARGEST = {1: 4096, 2: 64}
"""Numbers tried, and those below zero, by how many arguments differ."""

_MOST_CONSTANTS = 16

_ARITHMETIC: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
}  # fmt: skip
_CALLS: Mapping[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}


class _NotPlainError(Exception):
    """Something else than whole numbers is reckoned with."""


class _Returned(Exception):  # noqa: N818 - no error: a way out of nested branches
    """The function has come to its end."""


def never(tree: ast.Module, function: ast.FunctionDef) -> set[int]:
    """The ids of statements of `function` that no arguments lead to; none where that is not known."""
    names = [one.arg for one in function.args.args]
    if parameters(function) != set(names) or function.args.vararg or function.args.kwarg or _rebinds(tree):
        return set()
    fixed = {name: value for name, value in _fixed(tree, function, names).items() if value is not None}
    free = [name for name in names if name not in fixed]
    largest = _LARGEST.get(len(free), 0)
    constants = [
        one.value for one in ast.walk(function) if isinstance(one, ast.Constant) and type(one.value) is int
    ]
    together = math.prod(max(1, abs(one)) for one in (*constants, *fixed.values()))
    if 2 * together > largest or len(constants) > _MOST_CONSTANTS:
        return set()
    met = set[int]()
    try:
        for sizes in itertools.product(range(-largest, largest + 1), repeat=len(free)):
            _run(function.body, {**fixed, **dict(zip(free, sizes, strict=True))}, met)
    except (_NotPlainError, KeyError):
        return set()
    statements = (one for one in ast.walk(function) if isinstance(one, ast.stmt) and one is not function)
    return {id(one) for one in statements} - met


def _rebinds(tree: ast.Module) -> bool:
    """Whether the file means something else by the names that are called here."""
    stored = {one.id for one in nodes(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    defined = {getattr(one, "name", None) for one in nodes(tree)} | {
        one.asname or one.name for one in nodes(tree) if isinstance(one, ast.alias)
    }
    return not _CALLS.keys().isdisjoint(stored | defined)


def _fixed(tree: ast.Module, function: ast.FunctionDef, names: Sequence[str]) -> dict[str, int | None]:
    """Arguments that are one and the same number wherever the function is called; None for others."""
    calls = [
        one
        for one in nodes(tree)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == function.name
    ]
    uses = sum(isinstance(one, ast.Name) and one.id == function.name for one in nodes(tree))
    if not calls or uses != len(calls) or function.args.defaults or function not in tree.body:
        return {}
    return {name: _same([_given(call, place, name) for call in calls]) for place, name in enumerate(names)}


def _given(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    if place < len(call.args):
        return call.args[place]
    return next((one.value for one in call.keywords if one.arg == name), None)


def _same(given: list[ast.expr | None]) -> int | None:
    values = [one.value if isinstance(one, ast.Constant) else None for one in given]
    first = values[0]
    return first if type(first) is int and all(one == first for one in values) else None


def _run(body: Sequence[ast.stmt], held: dict[str, int], met: set[int]) -> None:
    try:
        _statements(body, held, met)
    except (_Returned, ZeroDivisionError):
        return


def _statements(body: Sequence[ast.stmt], held: dict[str, int], met: set[int]) -> None:
    for one in body:
        met.add(id(one))
        if isinstance(one, ast.If):
            _statements(one.body if _value(one.test, held) else one.orelse, held, met)
        elif isinstance(one, ast.Assign | ast.AugAssign):
            held.update(_assigned(one, held))
        elif isinstance(one, ast.Return | ast.Raise):
            if isinstance(one, ast.Return) and one.value is not None:
                _value(one.value, held)
            raise _Returned
        elif not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)):
            raise _NotPlainError


def _assigned(one: ast.Assign | ast.AugAssign, held: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    targets = one.targets if isinstance(one, ast.Assign) else [one.target]
    for target in targets:
        if not isinstance(target, ast.Name):
            raise _NotPlainError
        value = _value(one.value, held)
        yield target.id, value if isinstance(one, ast.Assign) else _of(one.op)(held[target.id], value)


def _value(node: ast.expr, held: Mapping[str, int]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        return node.value
    if isinstance(node, ast.Name):
        return held[node.id]
    if isinstance(node, ast.BinOp):
        return _of(node.op)(_value(node.left, held), _value(node.right, held))
    if isinstance(node, ast.UnaryOp):
        return _of(node.op)(_value(node.operand, held))
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, held) else node.orelse, held)
    if isinstance(node, ast.BoolOp):
        found = (_value(one, held) for one in node.values)
        return any(found) if isinstance(node.op, ast.Or) else all(found)
    if isinstance(node, ast.Compare):
        values = [_value(one, held) for one in (node.left, *node.comparators)]
        pairs = itertools.pairwise(values)
        return all(_of(one)(*pair) for one, pair in zip(node.ops, pairs, strict=True))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in _CALLS:
            raise _NotPlainError
        return _CALLS[node.func.id](*(_value(one, held) for one in node.args))
    raise _NotPlainError


def _of(node: ast.AST) -> Callable[..., Any]:
    if type(node) not in _ARITHMETIC:
        raise _NotPlainError
    return _ARITHMETIC[type(node)]
