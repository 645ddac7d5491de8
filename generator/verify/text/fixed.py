"""Finds the expressions of a wrapper that are one and the same in every call that its op can get.

    half = x.dtype == torch.float16        (an input's dtype, under a name of its own)
    if self.norm.bias is not None: ...     (a layer that the constructor made)
    def plan(cols, dtype): ...             (each call of which gives an input's dtype)

Made of what is so by itself: constants, dtypes and ranks of inputs, what a constructor settled, whether an
argument that the op file leaves out is there. What depends on sizes is not, unless it asks for more than 32
bits can count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .arguments import defaults, given_to, parameters
from .forms import form_of, is_constant, is_none
from .names import is_self, nodes
from .settled import Settled

_ASKED = ("is_floating_point", "is_complex", "element_size", "dim", "ndimension")
_READ = ("dtype", "ndim", "itemsize", "is_sparse", "is_quantized")
_OF_LAYERS = frozenset((
    "elementwise_affine", "affine", "track_running_stats", "eps", "momentum", "inplace", "ceil_mode",
    "padding_mode", "count_include_pad", "approximate", "batch_first", "bidirectional", "reduction",
))  # fmt: skip
"""Attributes of torch's layers that are settings and no sizes."""
_PLAIN = frozenset(("len", "bool", "int", "abs", "str", "float", "tuple"))
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.Pow, ast.LShift)
_DEPTH = 8
_BEYOND = 2**31 - 1
"""What counts to here is counted in 32 bits; no asked size is larger."""


class Fixed:
    """Those of one file, for a `forward` that is given `inputs` arguments, or any number."""

    def __init__(self, settled: Settled, inputs: int | None = None) -> None:
        self.settled, self.inputs = settled, inputs

    def holds(self, function: ast.FunctionDef, value: ast.expr | None, depth: int = 0) -> bool:
        """Whether `value` is the same in every call of `function`."""
        if value is None or depth > _DEPTH:
            return False
        if is_constant(value) or self.settled.holds(function, value):
            return True
        if isinstance(value, ast.Compare):
            sides = [value.left, *value.comparators]
            if all(map(is_none, value.comparators)):
                return self._is_there(function, value.left, depth)
            return self._all(function, sides, depth) or _beyond_counting(function, value)
        if isinstance(value, ast.Call):
            return self._called(function, value, depth)
        if isinstance(value, ast.Attribute):
            return self._attribute(function, value, depth)
        if isinstance(value, ast.Name):
            return self._named(function, value.id, depth)
        return isinstance(value, ast.BoolOp | ast.UnaryOp | ast.IfExp | ast.BinOp) and self._all(
            function, [one for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr)], depth
        )

    def _all(self, function: ast.FunctionDef, values: list[ast.expr], depth: int) -> bool:
        return all(self.holds(function, one, depth + 1) for one in values)

    def _named(self, function: ast.FunctionDef, name: str, depth: int) -> bool:
        given = list(given_to(function, name))
        if name in parameters(function):
            handed = list(self.settled.handed(function, name))
            known = all(where is not None and self.holds(where, one, depth + 1) for where, one in handed)
            return known and not given
        if not given:
            return self._of_module(name, depth)
        return len(given) == 1 and self.holds(function, given[0], depth + 1)

    def _of_module(self, name: str, depth: int) -> bool:
        """A constant of the file's, set once."""
        body = self.settled.tree.body
        stores = [one for one in nodes(self.settled.tree) if isinstance(one, ast.Name) and one.id == name]
        stored = [one for one in stores if not isinstance(one.ctx, ast.Load)]
        given = [one.value for one in body if isinstance(one, ast.Assign) and one.targets == stored]
        return len(stored) == 1 and bool(given) and is_constant(given[0])

    def _called(self, function: ast.FunctionDef, value: ast.Call, depth: int) -> bool:
        if isinstance(value.func, ast.Attribute) and value.func.attr in _ASKED and not value.args:
            return self._has_form(function, value.func.value, depth)
        if form_of(value) is not None:
            return False  # which `settled` does not know
        plain = isinstance(value.func, ast.Name) and value.func.id in _PLAIN
        return plain and not value.keywords and self._all(function, value.args, depth)

    def _attribute(self, function: ast.FunctionDef, value: ast.Attribute, depth: int) -> bool:
        if value.attr in _READ:
            return self._has_form(function, value.value, depth)
        if value.attr in _OF_LAYERS and isinstance(value.value, ast.Attribute):
            return self.settled.held_plainly(value.value)
        return is_self(value.value) and self._set_once(value.attr)

    def _has_form(self, function: ast.FunctionDef, tensor: ast.expr, depth: int) -> bool:
        """Whether the dtype and rank of `tensor` are an input's or a parameter's own."""
        if isinstance(tensor, ast.Attribute):
            return self.settled.held_plainly(tensor)
        if not isinstance(tensor, ast.Name) or depth > _DEPTH:
            return False
        if self.settled.has_form(function, tensor.id):
            return True
        given = self._at_first(function, tensor.id)
        return len(given) == 1 and given[0] is not None and self._has_form(function, given[0], depth + 1)

    def _at_first(self, function: ast.FunctionDef, name: str) -> list[ast.expr | None]:
        """What a name is given, but for what another form, or None, is replaced by."""
        given = given_to(function, name)
        return [one for one in given if one is None or not self.settled.asks_for(function, name, one)]

    def _set_once(self, name: str) -> bool:
        """Whether `self.name` is a constant that the constructor sets, and nobody else."""
        stores = list(self._stores(name))
        return len(stores) == 1 and stores[0] is not None and is_constant(stores[0])

    def _stores(self, name: str) -> Iterator[ast.expr | None]:
        for node in nodes(self.settled.tree):
            if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
                parent, around = self.settled.parents[id(node)], self.settled.around(node)
                made = around is not None and around.name == "__init__" and isinstance(parent, ast.Assign)
                yield parent.value if made and isinstance(parent, ast.Assign) else None

    def _is_there(self, function: ast.FunctionDef, value: ast.expr, depth: int) -> bool:
        """Whether it is known of `value` that it is None, or that it is not, or that neither ever changes."""
        if depth > _DEPTH:
            return False
        if isinstance(value, ast.Attribute):
            return self.settled.held_plainly(value)
        if not isinstance(value, ast.Name):
            return False
        if self._is_left_out(function, value.id):
            return True
        given = self._at_first(function, value.id)
        if value.id in parameters(function) or len(given) != 1 or given[0] is None:
            return False
        return self._is_there(function, given[0], depth + 1)

    def _is_left_out(self, function: ast.FunctionDef, name: str) -> bool:
        """Whether the op file gives `forward` no such argument: what is put there is, on its own line."""
        if self.inputs is None or not self.settled.is_forward(function) or name not in defaults(function):
            return False
        places = [one.arg for one in (*function.args.posonlyargs, *function.args.args)][1:]
        return name not in places or places.index(name) >= self.inputs


def _beyond_counting(function: ast.FunctionDef, test: ast.Compare) -> bool:
    """Whether a plain product of sizes is compared with what 32 bits count to at most."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE):
        return False
    one, other = test.left, test.comparators[0]
    bound = next((found for found in map(_number, (one, other)) if found is not None), None)
    sizes = one if _number(one) is None else other
    return bound is not None and bound >= _BEYOND and _is_a_size(function, sizes)


def _number(value: ast.expr) -> int | None:
    """The whole number that a text of numbers alone stands for."""
    kinds = (ast.BinOp, ast.Constant, *_WHOLE)
    if not all(isinstance(one, kinds) for one in ast.walk(value)):
        return None
    if isinstance(value, ast.Constant):
        return value.value if type(value.value) is int else None
    assert isinstance(value, ast.BinOp)
    left, right = _number(value.left), _number(value.right)
    if left is None or right is None or not 0 <= right <= 2**40:
        return None
    if isinstance(value.op, ast.Pow | ast.LShift):
        return None if right > 64 else left**right if isinstance(value.op, ast.Pow) else left << right
    return (
        left + right
        if isinstance(value.op, ast.Add)
        else (left - right if isinstance(value.op, ast.Sub) else left * right)
    )


def _is_a_size(function: ast.FunctionDef, value: ast.expr) -> bool:
    """Elements, sizes and strides of tensors, or products and sums of them."""
    if isinstance(value, ast.BinOp):
        both = _is_a_size(function, value.left) and _is_a_size(function, value.right)
        return both and isinstance(value.op, ast.Add | ast.Mult)
    if isinstance(value, ast.Subscript):
        return isinstance(value.value, ast.Attribute) and value.value.attr == "shape"
    if isinstance(value, ast.Name):
        given = list(given_to(function, value.id))
        plain = len(given) == 1 and given[0] is not None and not isinstance(given[0], ast.Name)
        return plain and _is_a_size(function, given[0])  # type: ignore[arg-type]
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in ("numel", "size", "stride")
