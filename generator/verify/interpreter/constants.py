"""Gives kernels the numbers that their compiler knows, and has it refuse what it cannot make of them.

    n.to(tl.float32)      while n > 1: n //= 2      (at n = 1: 'int' object has no attribute 'to')

An integer argument of one is compiled into a kernel as a constant, unless the kernel's decorator or the
argument's annotation says otherwise (`create_function_from_signature` of triton 3.7.1). A constant has no
`.to`, divides as Python does, decides conditions beforehand, and no loop or branch at run time may give its
name another value; whatever is assigned becomes a tensor.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.jit import KernelParam

ASSIGNED, CARRIED = "assigned_by_the_judge", "carried_by_the_judge"
_VARIABLE, _TOLD = "not_specialised_by_the_judge", "told_by_the_judge"


def constants_in(executor: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[str]:
    """The arguments of a launch that are compiled into its kernel: those marked so, and integers of one."""
    kept = {name: value for name, value in kwargs.items() if name in executor.arg_names}
    given = inspect.getcallargs(executor.fn, *args, **kept)
    variable = getattr(executor.fn, _VARIABLE, ())
    return [*executor.constexprs, *(name for name in given if _is_one(given[name]) and name not in variable)]


def _is_one(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == 1


def telling_variables(rewrite: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A kernel's function as the interpreter runs it, with the names of those arguments that stay variables
    whatever they are: its decorator's `do_not_specialize`, and those of a type that the text says."""

    def told(kernel: Any) -> Any:
        function, kept = rewrite(kernel), kernel.kwargs.get("do_not_specialize") or ()
        if getattr(function, _TOLD, None) is kernel:
            return function
        parameters = enumerate(inspect.signature(kernel.fn).parameters.values())
        known = [
            KernelParam(place, one, place in kept or one.name in kept, False) for place, one in parameters
        ]
        variable = {one.name for one in known if one.do_not_specialize or one.annotation_type}
        setattr(function, _VARIABLE, variable)
        setattr(function, _TOLD, kernel)
        return function

    return told


def ones_in_tuples(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What the interpreter makes of an argument, with ones inside a tuple as constants, too."""

    def converted(value: Any) -> Any:
        if not isinstance(value, tuple):
            return convert(value)
        return _of_kind(value, [one if _is_one(one) else converted(one) for one in value])

    return converted


def _of_kind(value: Any, items: Sequence[Any]) -> Any:
    """A tuple of `items`, with names where `value` has such."""
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


class Constants(ast.NodeTransformer):
    """Rewrites a kernel's function: what it assigns becomes tensors, and before a loop or a branch that gives
    parameters another value `carried` looks at them."""

    def __init__(self) -> None:
        self.parameters = list[str]()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.parameters = [one.arg for one in node.args.args]
        return ast.fix_missing_locations(self.generic_visit(node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        node.value = ast.copy_location(_call(ASSIGNED, [node.value]), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            return node
        read = ast.Name(node.target.id, ast.Load())
        assigned = ast.Assign([node.target], ast.BinOp(read, node.op, node.value))
        return self.visit_Assign(ast.copy_location(assigned, node))

    def visit_For(self, node: ast.For) -> Any:
        if "static_range" in ast.unparse(node.iter):
            return self.generic_visit(node)
        return self._looked_at(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._looked_at(node)

    def visit_If(self, node: ast.If) -> ast.AST:
        names = self._stored_in(node)
        if names:
            node.test = _call(CARRIED, [node.test, *names])
        return self.generic_visit(node)

    def _looked_at(self, node: ast.For | ast.While) -> Any:
        names = self._stored_in(node)
        self.generic_visit(node)
        if not names:
            return node
        look = ast.Expr(_call(CARRIED, [ast.Constant(None), *names]))
        return [ast.copy_location(look, node), node]

    def _stored_in(self, node: ast.AST) -> list[ast.expr]:
        """Pairs of names and values of the parameters that a statement of this one assigns."""
        names = [
            one for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        ]
        return [
            ast.Tuple([ast.Constant(name), ast.Name(name, ast.Load())], ast.Load())
            for name in self.parameters
            if name in {one.id for one in names}
        ]


def _call(name: str, values: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), values, [])


def assigned(value: Any) -> Any:
    """What a name of a kernel holds: numbers as tensors (`CodeGenerator.visit_Assign`)."""
    if isinstance(value, tuple):
        return _of_kind(value, list(map(assigned, value)))
    return TritonSemantic(triton_interpreter.interpreter_builder).to_tensor(value, False)


def carried(test: Any, *held: tuple[str, Any]) -> Any:
    """Called before a loop, or with a branch's test, for the parameters that it assigns; a test that is known
    leaves one branch alone."""
    if test is None or isinstance(test, tl.tensor):
        for name, value in held:
            if type(value) is int:  # loop variables are of a class of their own
                where = "a loop" if test is None else "a branch"
                raise TypeError(
                    f"{name} is the constant {value} where it is compiled, and {where} assigns it"
                )
    return test
