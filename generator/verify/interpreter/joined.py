"""Gives `and`, `or` and `not` in kernels what Triton's compiler makes of them.

    mask = rows < M and columns < N        (of blocks: element by element, as `&`)

Python takes the last of two blocks alone. The compiler goes through all operands, as long as no constant
decides, and joins those that are tensors (`CodeGenerator.visit_BoolOp`, triton 3.7).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter

JOINED, NEGATED = "joined_by_the_judge", "negated_by_the_judge"


class Joining(ast.NodeTransformer):
    """Puts calls of `joined` and `negated` in place of the three operators."""

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        values = [ast.Lambda(nothing, one) for one in node.values]
        return _call(JOINED, [ast.Constant(isinstance(node.op, ast.And)), *values], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call(NEGATED, [node.operand], node) if isinstance(node.op, ast.Not) else node


def _call(name: str, values: list[ast.expr], node: ast.expr) -> ast.AST:
    return ast.fix_missing_locations(
        ast.copy_location(ast.Call(ast.Name(name, ast.Load()), values, []), node)
    )


def joined(both: bool, *values: Callable[[], Any]) -> Any:
    """`and` if `both`, else `or`."""
    kept, value = list[Any](), None
    for make in values:
        value = make()
        if isinstance(value, tl.tensor):
            kept.append(value)
        elif bool(getattr(value, "value", value)) is not both:
            return value
    if not kept:
        return value
    if not any(_truths(one) or one.type.is_block() for one in kept):  # numbers, which a compiler refuses
        return next((one for one in kept if bool(one) is not both), kept[-1])
    semantic = TritonSemantic(triton_interpreter.interpreter_builder)
    found = kept.pop()
    while kept:
        found = (semantic.logical_and if both else semantic.logical_or)(kept.pop(), found)
    return found


def negated(value: Any) -> Any:
    """`not`."""
    if isinstance(value, tl.tensor) and value.type.is_block():
        return TritonSemantic(triton_interpreter.interpreter_builder).not_(value)
    return not value


def _truths(value: Any) -> bool:
    return bool(value.type.scalar.is_int1())
