"""Matrix products of any form: matmul, linear, addmm, bmm, einsum of two operands."""

from __future__ import annotations

import string
from typing import Any

from torch import fx

from ..dtypes import EIGHT_BITS, FLOATS
from ..expr import Contract, Reduce
from ..space import Affine, Axis, CannotFuseError
from .attending import as_attention
from .context import Context, Lowered, Value
from .table import lowers


@lowers("matmul.default", "mm.default", "bmm.default", "mv.default", "dot.default")
def _matmul(ctx: Context, node: fx.Node) -> Lowered:
    return _rows_by_columns(ctx, operand(ctx, node.args[0]), operand(ctx, node.args[1]))


@lowers("_int_mm.default")
def _of_bytes(ctx: Context, node: fx.Node) -> Lowered:
    """int8 by int8, summed in int32 as torch does."""
    left, right = (ctx.value(arg) for arg in node.args[:2])
    if any(ctx.builder.dtype(value.node) != "int8" for value in (left, right)):
        raise CannotFuseError("a product of integers other than int8 is left to torch")
    return contract(ctx, left, "MK", right, "KN", "MN", dtype="int32")


@lowers("linear.default")
def _linear(ctx: Context, node: fx.Node) -> Lowered:
    weight = operand(ctx, node.args[1])
    turned = Value(tuple(reversed(weight.dims)), weight.node)
    found = _rows_by_columns(ctx, operand(ctx, node.args[0]), turned)
    bias = ctx.traces.arg(node, 2, "bias")
    return found if bias is None else combined(ctx, "add", found, ctx.value(bias))


@lowers("addmm.default", "baddbmm.default", "addmv.default")
def _added(ctx: Context, node: fx.Node) -> Lowered:
    """beta x input + alpha x product; an input of weight 0 is not read."""
    found = _rows_by_columns(ctx, operand(ctx, node.args[1]), operand(ctx, node.args[2]))
    beta, alpha = node.kwargs.get("beta", 1), node.kwargs.get("alpha", 1)
    if alpha != 1:
        found = combined(ctx, "mul", found, ctx.value(alpha))
    if beta == 0:
        return found
    added = ctx.value(node.args[0])
    return combined(ctx, "add", found, added if beta == 1 else combined(ctx, "mul", added, ctx.value(beta)))


@lowers("einsum.default")
def _einsum(ctx: Context, node: fx.Node) -> Lowered:
    equation, operands = str(node.args[0]).replace(" ", ""), node.args[1]
    if not isinstance(operands, list | tuple) or len(operands) != 2:
        raise CannotFuseError("an einsum of other than two operands is left to torch")
    given, _, result = equation.partition("->")
    labels = given.split(",")
    if "->" not in equation or "." in equation or any(len(set(x)) < len(x) for x in (*labels, result)):
        raise CannotFuseError(f"einsum {equation!r} has an implied result, an ellipsis or a diagonal")
    left, right = (operand(ctx, o) for o in operands)
    return contract(ctx, left, labels[0], right, labels[1], result)


def combined(ctx: Context, function: str, left: Value, right: Value) -> Value:
    args = [ctx.builder.cast(value.node, "fp32") for value in (left, right)]
    return Value(ctx.broadcast([left, right]), ctx.builder.apply(function, *args))


def _rows_by_columns(ctx: Context, left: Value, right: Value) -> Value:
    """Products over the last two dimensions, those before broadcast; a vector has one."""
    batch = string.ascii_lowercase[: max(len(left.dims), len(right.dims), 2) - 2]
    rows = "M" if len(left.dims) > 1 else ""
    cols = "N" if len(right.dims) > 1 else ""
    of_left = batch[len(batch) - max(len(left.dims) - 2, 0) :] + rows + "K"
    of_right = batch[len(batch) - max(len(right.dims) - 2, 0) :] + "K" + cols
    return contract(ctx, left, of_left, right, of_right, batch + rows + cols)


def contract(
    ctx: Context,
    left: Value,
    of_left: str,
    right: Value,
    of_right: str,
    of_result: str,
    dtype: str = "fp32",
    *,
    fast: bool = False,
) -> Value:
    """The product of two values whose dimensions have letters as an einsum has them, summed in `dtype`."""
    if len(of_left) != len(left.dims) or len(of_right) != len(right.dims):
        raise CannotFuseError("an einsum names other dimensions than its operand has")
    right = _apart(ctx, right, of_right, left, of_left)
    axes: dict[str, tuple[Axis, ...]] = {}
    for labels, value in ((of_left, left), (of_right, right)):
        for label, dim in zip(labels, value.dims, strict=True):
            axes[label] = ctx.space.unify(axes[label], dim, "product") if label in axes else dim
    summed = [label for label in axes if label not in of_result]
    if any(label not in of_left or label not in of_right for label in summed):
        raise CannotFuseError("an einsum sums over what only one of its operands has")
    dims = tuple(ctx.space.leaves(axes[label]) for label in of_result)
    depth = ctx.space.leaves([a for label in summed for a in axes[label]])
    own = [
        [axis for label in mine if label not in other for axis in axes[label]]
        for mine, other in ((of_left, of_right), (of_right, of_left))
    ]
    if depth and all(ctx.count(axes).full > 1 for axes in own):
        product = Contract(left.node, right.node, depth, dtype, fast)
        return Value(dims, ctx.builder.add(as_attention(ctx.builder, product) or product))
    factors = [ctx.builder.cast(value.node, dtype) for value in (left, right)]
    terms = ctx.builder.apply("mul", *factors, dtype=dtype)
    if not depth:
        return Value(dims, terms)
    if frozenset(depth) - ctx.builder.free_axes(terms):
        raise CannotFuseError("a broadcast value is summed over the dimension it was broadcast to")
    return Value(dims, ctx.builder.add(Reduce("sum", terms, depth, dtype)))


def operand(ctx: Context, arg: Any) -> Value:
    """A factor in the type it has in memory, in which matrix units take it."""
    if isinstance(arg, fx.Node) and ctx.traces.dtype(arg) in EIGHT_BITS:
        raise CannotFuseError("a product of 8-bit floats without scales is left to torch")
    if not isinstance(arg, fx.Node) or ctx.traces.dtype(arg) not in FLOATS:
        raise CannotFuseError("a product of integers is left to torch")
    value = ctx.value(arg)
    return Value(value.dims, ctx.builder.cast(value.node, ctx.traces.dtype(arg)))


def _apart(ctx: Context, value: Value, labels: str, other: Value, of_other: str) -> Value:
    """The value over axes of its own where a tensor meets itself along dimensions of different labels."""
    space, one = ctx.space, ctx.traces.one
    theirs = {
        leaf: label for label, dim in zip(of_other, other.dims, strict=True) for leaf in space.leaves(dim)
    }
    mine = (
        (leaf, label) for label, dim in zip(labels, value.dims, strict=True) for leaf in space.leaves(dim)
    )
    own = {leaf: space.fresh(space.sizes[leaf]) for leaf, label in mine if theirs.get(leaf, label) != label}
    if not own:
        return value
    moves = {leaf: Affine(((axis, one),), one.like(0)) for leaf, axis in own.items()}
    dims = tuple(tuple(own.get(leaf, leaf) for leaf in space.leaves(dim)) for dim in value.dims)
    return Value(dims, ctx.builder.substitute(value.node, moves))
