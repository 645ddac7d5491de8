"""Finds the conditions of a wrapper that the op itself has settled, so that one of their branches is for
other ops.

    if bias is not None: ... else: ...      (the module always has one)
    if x.ndim == 2: ...                     (inputs of this op have four dimensions)

Helpers are written for layers with and without weights, for inputs of any dimensions. What an input's
`ndim` or `dtype` is, and whether a parameter of a helper is None where every place that calls it says so by
its text, is the same in every call that this op can get.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from itertools import chain

from .allowed import METHODS
from .names import is_name, is_self, is_stored, nodes

_MAKES = {f"torch.{kind}{like}" for kind in ("empty", "zeros", "ones", "full") for like in ("", "_like")}
_TENSORS = METHODS - {"apply", "register_buffer", "register_parameter"}
"""Methods that never give None."""
_REGISTERS = ("register_buffer", "register_parameter")
_SAME_FORM = {"contiguous", "detach", "clone"}
_DEPTH = 8
"""Helpers that call helpers."""


class Settled:
    """The conditions of one file. A name stands for a tensor (True), for None (False), or it is not known."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents = {id(child): node for node in nodes(tree) for child in ast.iter_child_nodes(node)}

    def holds(self, function: ast.FunctionDef, test: ast.expr) -> bool:
        """Whether the op has settled how `test` comes out in `function`."""
        if isinstance(test, ast.BoolOp):
            return all(self.holds(function, one) for one in test.values)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.holds(function, test.operand)
        if not isinstance(test, ast.Compare):
            return False
        if isinstance(test.ops[0], ast.Is | ast.IsNot):
            plain = len(test.ops) == 1 and _is_none(test.comparators[0])
            return plain and isinstance(test.left, ast.Name) and self._is(function, test.left.id) is not None
        return self._has_form(function, _form_of(test.left)) and all(map(_is_constant, test.comparators))

    def _has_form(self, function: ast.FunctionDef, name: str | None) -> bool:
        """Whether a name is a parameter that is given another form only where its form was asked for."""
        if name is None or name not in _parameters(function):
            return False
        asking = [
            id(inner)
            for node in ast.walk(function)
            if isinstance(node, ast.If)
            and isinstance(node.test, ast.Compare)
            and _form_of(node.test.left) == name
            for branch in (node.body, node.orelse)
            for one in branch
            for inner in ast.walk(one)
        ]
        return all(
            value is not None and (id(value) in asking or _keeps_form(value, name))
            for value in _given_to(function, name)
        )

    @cached_property
    def _own(self) -> set[str]:
        return {one.name for one in nodes(self.tree) if isinstance(one, ast.FunctionDef)}

    def _is(self, function: ast.FunctionDef, name: str, depth: int = 0) -> bool | None:
        """What a name of `function` stands for, wherever it stands."""
        assigned = [self._value(function, one, depth) for one in _given_to(function, name)]
        if name not in _parameters(function):
            return assigned[0] if assigned and assigned[0] is not None and len(set(assigned)) == 1 else None
        if not all(one is True for one in assigned) or depth > _DEPTH:
            return None
        found = {self._value(where, given, depth + 1) for where, given in self._handed(function, name)}
        if len(found) != 1 or (assigned and found != {True}):
            return None
        return found.pop()

    def _value(self, function: ast.FunctionDef | None, value: ast.expr | None, depth: int) -> bool | None:
        if value is None:
            return None
        if isinstance(value, ast.Constant):
            return value.value is not None
        if isinstance(value, ast.Name) and function is not None:
            return self._is(function, value.id, depth + 1) if depth <= _DEPTH else None
        if isinstance(value, ast.Attribute) and is_name(value.value, "self"):
            return self._held.get(value.attr)
        called = value.func if isinstance(value, ast.Call) else None
        if isinstance(called, ast.Attribute) and not is_self(called.value):
            known = called.attr in _TENSORS - self._own or ast.unparse(called) in _MAKES
            return True if known else None
        return None

    @cached_property
    def _held(self) -> dict[str, bool | None]:
        """What attributes of the instance stand for that only its constructor sets."""
        found: dict[str, set[bool | None]] = {}
        for node in nodes(self.tree):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                parent = self.parents[id(node)]
                value = parent.value if isinstance(parent, ast.Assign) else None
                inside = (around := self._around(node)) is not None and around.name == "__init__"
                found.setdefault(node.attr, set()).add(
                    _made(value) if inside and is_self(node.value) else None
                )
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1:
                name = node.args[0]
                if node.func.attr in ("register_buffer", "register_parameter") and isinstance(
                    name, ast.Constant
                ):
                    found.setdefault(str(name.value), set()).add(not _is_none(node.args[1]))
        return {name: kinds.pop() if len(kinds) == 1 else None for name, kinds in found.items()}

    def _handed(
        self, function: ast.FunctionDef, name: str
    ) -> Iterator[tuple[ast.FunctionDef | None, ast.expr | None]]:
        """What each place that calls `function` hands in as `name`, and the function around it."""
        calls, skipped = self._calls(function)
        if calls is None:
            yield None, ast.Constant(0) if self._is_input(function, name) else None
            return
        for call in calls:
            yield self._around(call), _argument(call, function, name, skipped)

    def _is_input(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether a name is one of the op's inputs, none of which is None."""
        parent = self.parents[id(function)]
        model = isinstance(parent, ast.ClassDef) and parent.name == "ModelNew" and function.name == "forward"
        called = any(isinstance(one, ast.Attribute) and one.attr == "forward" for one in nodes(self.tree))
        return model and not called and name not in _defaults(function)

    def _calls(self, function: ast.FunctionDef) -> tuple[list[ast.Call] | None, int]:
        """The calls of a function of the file, or of an autograd function by `apply`, which puts `ctx` before
        the arguments; None where it is handed on, or is a method."""
        parent, skipped, name = self.parents[id(function)], 0, function.name
        if isinstance(parent, ast.ClassDef):
            if name != "forward" or not any("autograd" in ast.unparse(base) for base in parent.bases):
                return None, 0
            skipped, name = 1, parent.name
        elif parent is not self.tree:
            return None, 0
        if sum(getattr(one, "name", "") == name for one in nodes(self.tree)) != 1:
            return None, 0
        calls = []
        for node in nodes(self.tree):
            if is_name(node, name):
                used = self.parents[id(node)] if skipped else node
                call = self.parents[id(used)]
                applied = not skipped or (isinstance(used, ast.Attribute) and used.attr == "apply")
                if not (applied and isinstance(call, ast.Call) and call.func is used):
                    return None, 0
                calls.append(call)
        return calls, skipped

    def _around(self, node: ast.AST) -> ast.FunctionDef | None:
        while id(node) in self.parents:
            node = self.parents[id(node)]
            if isinstance(node, ast.FunctionDef):
                return node
        return None


def _argument(call: ast.Call, function: ast.FunctionDef, name: str, skipped: int) -> ast.expr | None:
    given = function.args
    if any(isinstance(one, ast.Starred) for one in call.args) or any(
        one.arg is None for one in call.keywords
    ):
        return None
    named = next((one.value for one in call.keywords if one.arg == name), None)
    places = [one.arg for one in (*given.posonlyargs, *given.args)][skipped:]
    place = places.index(name) if name in places else len(call.args)
    return named or (call.args[place] if place < len(call.args) else _defaults(function).get(name))


def _defaults(function: ast.FunctionDef) -> dict[str, ast.expr]:
    given = function.args
    places = [*given.posonlyargs, *given.args]
    last = zip(places[len(places) - len(given.defaults) :], given.defaults, strict=True)
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return {one.arg: value for one, value in chain(last, named) if value is not None}


def _parameters(function: ast.FunctionDef) -> set[str]:
    given = function.args
    return {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}


def _given_to(function: ast.FunctionDef, name: str) -> Iterator[ast.expr | None]:
    """What is assigned to a name in a function; None for what is not assigned plainly."""
    plain = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if is_name(target, name):
                    plain.add(id(target))
                    yield node.value
    for node in ast.walk(function):
        if is_stored(node) and node.id == name and id(node) not in plain:
            yield None


def _made(value: ast.expr | None) -> bool | None:
    """What an attribute is that the constructor sets to this."""
    if value is not None and _is_none(value):
        return False
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return True if called.startswith("torch.") or called.endswith("nn.Parameter") else None


def _form_of(node: ast.expr) -> str | None:
    """The name whose dimensions or dtype an expression is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "dim":
        return node.func.value.id if isinstance(node.func.value, ast.Name) and not node.args else None
    if isinstance(node, ast.Attribute) and node.attr in ("ndim", "dtype"):
        return node.value.id if isinstance(node.value, ast.Name) else None
    return None


def _keeps_form(value: ast.expr, name: str) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _SAME_FORM and is_name(called.value, name)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_constant(node: ast.expr) -> bool:
    """A number, a dtype of torch's, or several of these."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_constant, node.elts))
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.Attribute) and is_name(node.value, "torch")
    )
