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

from .allowed import METHODS
from .arguments import argument, defaults, given_to, parameters
from .forms import chooses, form_of, is_constant, is_none, is_test_for_none, keeps_form
from .names import is_name, is_self, nodes

_MAKES = {f"torch.{kind}{like}" for kind in ("empty", "zeros", "ones", "full") for like in ("", "_like")}
_TENSORS = METHODS - {"apply", "register_buffer", "register_parameter"}
"""Methods that never give None."""
_REGISTERS = ("register_buffer", "register_parameter")
_DISPLAYS = (ast.Constant, ast.Tuple, ast.List, ast.ListComp, ast.Dict)
_DEPTH = 8
"""Helpers that call helpers."""


class Settled:
    """The conditions of one file. A name stands for a tensor (True), for None (False), or it is not known."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents = {id(child): node for node in nodes(tree) for child in ast.iter_child_nodes(node)}
        self._asked = set[tuple[int, str]]()  # that no question waits for itself

    def holds(self, function: ast.FunctionDef, test: ast.expr) -> bool:
        """Whether the op has settled how `test` comes out in `function`."""
        if self._known(function, test) is not None:
            return True
        if isinstance(test, ast.BoolOp):
            return all(self.holds(function, one) for one in test.values)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.holds(function, test.operand)
        if isinstance(test, ast.Call) and is_name(test.func, "isinstance") and len(test.args) == 2:
            return self._typed(function, test.args[0], 0)
        return (
            isinstance(test, ast.Compare)
            and (self.has_form(function, form_of(test.left)) or self._handed_over(test.left))
            and all(map(is_constant, test.comparators))
        )

    def _handed_over(self, value: ast.expr) -> bool:
        """Whether it is `self.name`, which is an argument of the constructor's and set nowhere else: the op
        file's own, at full size and in judged calls."""
        if not isinstance(value, ast.Attribute) or not is_self(value.value):
            return False
        stores = [
            one
            for one in nodes(self.tree)
            if isinstance(one, ast.Attribute) and one.attr == value.attr and not isinstance(one.ctx, ast.Load)
        ]
        return bool(stores) and all(map(self._is_handed_over, stores))

    def _is_handed_over(self, store: ast.Attribute) -> bool:
        parent, maker = self.parents[id(store)], self.around(store)
        value = parent.value if isinstance(parent, ast.Assign) and is_self(store.value) else None
        if maker is None or maker.name != "__init__" or not isinstance(value, ast.Name):
            return False
        return value.id in parameters(maker) and not list(given_to(maker, value.id))

    def _typed(self, function: ast.FunctionDef | None, value: ast.expr | None, depth: int) -> bool:
        """Whether a value is of one type in every call: a display, a tensor, or what such is given to."""
        if depth > _DEPTH:
            return False
        if isinstance(value, _DISPLAYS):
            return True
        if isinstance(value, ast.Attribute):
            return self.held_plainly(value)
        if not isinstance(value, ast.Name) or function is None:
            return self._value(function, value, depth) is True
        given = list(given_to(function, value.id))
        within = [one is not None and self._typed(function, one, depth + 1) for one in given]
        if value.id not in parameters(function):
            return bool(given) and all(within)
        handed = list(self.handed(function, value.id))
        return all(within) and all(self._typed(where, one, depth + 1) for where, one in handed)

    def held_plainly(self, value: ast.Attribute) -> bool:
        """Whether it is `self.name`, or something of a module there, and its constructor makes no choices."""
        held = value.value if isinstance(value.value, ast.Attribute) else value
        around = self.around(held)
        if not is_self(held.value) or around is None:
            return False
        makers = [
            one for one in nodes(self.tree) if isinstance(one, ast.FunctionDef) and one.name == "__init__"
        ]
        chosen = any(chooses(one) for maker in makers for one in ast.walk(maker))
        stores = (one for one in nodes(self.tree) if isinstance(one, ast.Attribute) and one.attr == held.attr)
        outside = any(not isinstance(one.ctx, ast.Load) and self.around(one) not in makers for one in stores)
        return not chosen and not outside

    def _known(self, function: ast.FunctionDef, test: ast.expr) -> bool | None:
        """How a test for None comes out, or several of which one decides."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._known(function, test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts, decides = {self._known(function, one) for one in test.values}, isinstance(test.op, ast.Or)
            return decides if decides in parts else None if None in parts else not decides
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not is_none(test.comparators[0]):
            return None
        kind = self._is(function, test.left.id) if isinstance(test.left, ast.Name) else None
        if kind is None or not isinstance(test.ops[0], ast.Is | ast.IsNot):
            return None
        return kind is isinstance(test.ops[0], ast.IsNot)

    def has_form(self, function: ast.FunctionDef, name: str | None) -> bool:
        """Whether a name is a parameter that is given another form only where its form was asked for."""
        if name is None or name not in parameters(function):
            return False
        return all(
            value is not None and (self.asks_for(function, name, value) or keeps_form(value, name))
            for value in given_to(function, name)
        )

    def asks_for(self, function: ast.FunctionDef, name: str, value: ast.expr) -> bool:
        """Whether `value` stands in a branch of a test for the form of what `name` is, or for None."""
        node: ast.AST = value
        while id(node) in self.parents and node is not function:
            inner, node = node, self.parents[id(node)]
            if isinstance(node, ast.If) and inner is not node.test:
                tests = self._parts(function, node.test)
                if any(form_of(one) == name or is_test_for_none(name, one) for one in tests):
                    return True
        return False

    def _parts(self, function: ast.FunctionDef, test: ast.expr) -> list[ast.expr]:
        """All that a test is made of, and what its names are given."""
        parts = [one for one in ast.walk(test) if isinstance(one, ast.expr)]
        names = [one.id for one in parts if isinstance(one, ast.Name)]
        given = [one for name in names for one in given_to(function, name) if one is not None]
        return [*parts, *(part for one in given for part in ast.walk(one) if isinstance(part, ast.expr))]

    @cached_property
    def _own(self) -> set[str]:
        return {one.name for one in nodes(self.tree) if isinstance(one, ast.FunctionDef)}

    def _is(self, function: ast.FunctionDef, name: str, depth: int = 0) -> bool | None:
        """What a name of `function` stands for, wherever it stands."""
        if (id(function), name) in self._asked:
            return None
        self._asked.add((id(function), name))
        try:
            return self._found(function, name, depth)
        finally:
            self._asked.discard((id(function), name))

    def _found(self, function: ast.FunctionDef, name: str, depth: int) -> bool | None:
        given = [one for one in given_to(function, name) if one is None or not self._never(function, one)]
        assigned = [self._value(function, one, depth) for one in given]
        if name not in parameters(function):
            return assigned[0] if assigned and assigned[0] is not None and len(set(assigned)) == 1 else None
        if not all(one is True for one in assigned) or depth > _DEPTH:
            return None
        found = {self._value(where, given, depth + 1) for where, given in self.handed(function, name)}
        if len(found) != 1 or (assigned and found != {True}):
            return None
        return found.pop()

    def _never(self, function: ast.FunctionDef, node: ast.AST) -> bool:
        """Whether a node stands in a branch of `function` that the op has settled not to be taken."""
        while id(node) in self.parents and node is not function:
            inner, node = node, self.parents[id(node)]
            if isinstance(node, ast.If) and inner is not node.test:
                known = self._known(function, node.test)
                if known is not None and known is (inner in node.orelse):
                    return True
        return False

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
                inside = (around := self.around(node)) is not None and around.name == "__init__"
                found.setdefault(node.attr, set()).add(
                    _made(value) if inside and is_self(node.value) else None
                )
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and len(node.args) > 1:
                name = node.args[0]
                if node.func.attr in ("register_buffer", "register_parameter") and isinstance(
                    name, ast.Constant
                ):
                    found.setdefault(str(name.value), set()).add(not is_none(node.args[1]))
        return {name: kinds.pop() if len(kinds) == 1 else None for name, kinds in found.items()}

    def handed(
        self, function: ast.FunctionDef, name: str
    ) -> Iterator[tuple[ast.FunctionDef | None, ast.expr | None]]:
        """What each place that calls `function` hands in as `name`, and the function around it."""
        calls, skipped = self._calls(function)
        if calls is None:
            yield None, ast.Constant(0) if self._is_input(function, name) else None
            return
        for call in calls:
            yield self.around(call), argument(call, function, name, skipped)

    def _is_input(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether a name is one of the op's inputs, none of which is None."""
        return self.is_forward(function) and name not in defaults(function)

    def is_forward(self, function: ast.FunctionDef) -> bool:
        """Whether a function is the candidate's `forward`, and nobody but the judge calls it by that name."""
        parent = self.parents[id(function)]
        model = isinstance(parent, ast.ClassDef) and parent.name == "ModelNew" and function.name == "forward"
        called = any(isinstance(one, ast.Attribute) and one.attr == "forward" for one in nodes(self.tree))
        return model and not called

    def _calls(self, function: ast.FunctionDef) -> tuple[list[ast.Call] | None, int]:
        """The calls of a function of the file, or of an autograd function by `apply`, which puts `ctx` before
        the arguments; None where it is handed on, or is a method."""
        parent, skipped, name = self.parents[id(function)], 0, function.name
        if isinstance(parent, ast.ClassDef):
            skipped = 1
            if name != "forward":
                return self._method_calls(name), skipped
            if not any("autograd" in ast.unparse(base) for base in parent.bases):
                return None, 0
            name = parent.name
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

    def _method_calls(self, name: str) -> list[ast.Call] | None:
        """The calls of a method by `self`; None where it is used in another way."""
        if sum(getattr(one, "name", "") == name for one in nodes(self.tree)) != 1:
            return None
        uses = [one for one in nodes(self.tree) if isinstance(one, ast.Attribute) and one.attr == name]
        calls = [(self.parents[id(one)], one) for one in uses if is_self(one.value)]
        found = [call for call, one in calls if isinstance(call, ast.Call) and call.func is one]
        return found if found and len(found) == len(uses) else None

    def around(self, node: ast.AST) -> ast.FunctionDef | None:
        while id(node) in self.parents:
            node = self.parents[id(node)]
            if isinstance(node, ast.FunctionDef):
                return node
        return None


def _made(value: ast.expr | None) -> bool | None:
    """What an attribute is that the constructor sets to this."""
    if value is not None and is_none(value):
        return False
    called = ast.unparse(value.func) if isinstance(value, ast.Call) else ""
    return True if called.startswith("torch.") or called.endswith("nn.Parameter") else None
