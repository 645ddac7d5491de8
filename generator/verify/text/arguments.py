"""What the functions of a file are given: as arguments by those who call them, and under names inside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

from .names import is_name, is_stored


def argument(call: ast.Call, function: ast.FunctionDef, name: str, skipped: int) -> ast.expr | None:
    given = function.args
    if any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    ):
        return None
    named = next((one.value for one in call.keywords if one.arg == name), None)
    places = [one.arg for one in (*given.posonlyargs, *given.args)][skipped:]
    place = places.index(name) if name in places else len(call.args)
    return named or (call.args[place] if place < len(call.args) else defaults(function).get(name))


def defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    given = function.args
    places = [*given.posonlyargs, *given.args]
    last = zip(places[len(places) - len(given.defaults) :], given.defaults, strict=True)
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return {one.arg: value for one, value in chain(last, named) if value is not None}


def parameters(function: ast.FunctionDef) -> set[str]:
    given = function.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def given_to(function: ast.FunctionDef, name: str) -> Iterator[ast.expr | None]:
    """What is assigned to a name in a function; None for what is not assigned plainly."""
    plain = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target, value in chain.from_iterable(_pairs(one, node.value) for one in node.targets):
                if is_name(target, name):
                    plain.add(id(target))
                    yield value
    for node in ast.walk(function):
        if is_stored(node) and node.id == name and id(node) not in plain:
            yield None


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What each of several names is given that are assigned as many values at once."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and _plainly(target, value):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _plainly(*several: ast.Tuple) -> bool:
    lengths = {len(one.elts) for one in several}
    return len(lengths) == 1 and not any(isinstance(one, ast.Starred) for all in several for one in all.elts)
