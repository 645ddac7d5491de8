"""Evaluates the arithmetic of amd.yaml, in which one unknown operand makes the result unknown."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import cache

from ... import KbgenError

_CALLS = {"min": min, "max": max}


class BadFormula(KbgenError):  # noqa: N818 - named for what was found
    """A formula that says more than arithmetic."""


def evaluate(formula: str, operand: Callable[[str], float | None]) -> float | None:
    """The formula's value, None where an operand is None or a divisor 0. Raises BadFormula."""
    value = _value(parsed(formula), operand)
    return value if value is not None and math.isfinite(value) else None


@cache
def operands(formula: str) -> tuple[str, ...]:
    """The names that a formula asks for, in the order in which they stand. Raises BadFormula."""
    found = [n for n in ast.walk(parsed(formula)) if isinstance(n, ast.Name) and n.id not in _CALLS]
    return tuple(dict.fromkeys(name.id for name in sorted(found, key=lambda n: (n.lineno, n.col_offset))))


@cache
def parsed(formula: str) -> ast.expr:
    """The formula as a tree of the few nodes that `evaluate` knows; else BadFormula."""
    try:
        tree = ast.parse(formula.strip(), mode="eval").body
    except SyntaxError as error:
        raise BadFormula(f'"{formula}" is no formula: {error.msg}') from None
    _check(tree, formula)
    return tree


def _check(node: ast.expr, formula: str) -> None:
    match node:
        case ast.Constant(value=int() | float()) | ast.Name():
            inner: list[ast.expr] = []
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            inner = [left, right]
        case ast.Call(func=ast.Name(id=name), args=[_, _, *_] as args, keywords=[]) if name in _CALLS:
            inner = args
        case _:
            raise BadFormula(
                f'"{ast.unparse(node)}" in "{formula}" is neither a number, a name, + - * / nor min or max'
            )
    for part in inner:
        _check(part, formula)


def _value(node: ast.expr, operand: Callable[[str], float | None]) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return operand(name)
        case ast.BinOp(left=left, op=op, right=right):
            return _combine(op, _value(left, operand), _value(right, operand))
        case ast.Call(func=ast.Name(id=name), args=args):
            values = [_value(argument, operand) for argument in args]
            known = [value for value in values if value is not None]
            return _CALLS[name](known) if len(known) == len(values) else None
    raise AssertionError("parsed() lets nothing else through")


def _combine(op: ast.operator, left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return None
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
    return left / right if right else None
