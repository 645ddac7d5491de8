"""Reductions over any dimensions: sums, products, extrema with and without indices, norms and moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import fx

from ..dtypes import compute_type, is_float
from ..expr import Reduce, SizeOf
from ..space import CannotFuseError
from .context import Context, Lowered, Value
from .table import lowers

INDEX_LIMIT = 2**31
"""Places in a row are found in 32 bits."""


def reduce_dims(rank: int, dims: Any) -> tuple[int, ...]:
    """Dimensions an argument names; None and [] mean all."""
    if dims is None or dims == []:
        return tuple(range(rank))
    listed = dims if isinstance(dims, list | tuple) else [dims]
    return tuple(sorted(int(d) % rank for d in listed)) if rank else ()


def reduce(
    ctx: Context, x: Value, dims: Sequence[int], kind: str, keepdim: bool, dtype: str, hint: str = ""
) -> Value:
    """Reduce dimensions of a value; a size-1 dimension reduces to itself."""
    axes = tuple(axis for d in dims for axis in ctx.space.leaves(x.dims[d]))
    kept = tuple(() if i in dims else axes for i, axes in enumerate(x.dims))
    left = kept if keepdim else tuple(axes for i, axes in enumerate(x.dims) if i not in dims)
    finds_place = kind in ("argmax", "argmin")
    arg = _widened(ctx, x.node) if finds_place else ctx.builder.cast(x.node, dtype)
    if frozenset(axes) - ctx.builder.free_axes(arg):
        raise CannotFuseError("a broadcast value is reduced over the dimension it was broadcast to")
    if finds_place and ctx.count(axes).full >= INDEX_LIMIT:
        raise CannotFuseError(f"a place among {ctx.count(axes).full} elements does not fit 32 bits")
    if not axes:
        node = ctx.builder.number(0, dtype) if finds_place else arg
    else:
        node = ctx.builder.add(Reduce(kind, arg, axes, dtype), hint)
    return Value(left, node)


def _widened(ctx: Context, number: int) -> int:
    """Extrema of short integers are taken in 32 bits, as Triton does."""
    short = ctx.builder.dtype(number) in ("int16", "int8", "uint8", "int1")
    return ctx.builder.cast(number, "int32") if short else number


def extremum(ctx: Context, x: Value, dims: Sequence[int], kind: str, keepdim: bool, hint: str = "") -> Value:
    """The largest or smallest element; of booleans, whether any or all are true."""
    if ctx.builder.dtype(x.node) == "int1":
        return reduce(ctx, x, dims, "any" if kind == "max" else "all", keepdim, "int1", hint)
    x = Value(x.dims, _widened(ctx, x.node))
    return reduce(ctx, x, dims, kind, keepdim, compute_type(ctx.builder.dtype(x.node)), hint)


def count_of(ctx: Context, x: Value, dims: Sequence[int], dtype: str = "fp32") -> int:
    """The number of reduced elements, as a value."""
    return ctx.builder.add(SizeOf(ctx.count([a for d in dims for a in x.dims[d]]), dtype))


def mean(
    ctx: Context, x: Value, dims: Sequence[int], keepdim: bool, dtype: str = "fp32", hint: str = "mean"
) -> Value:
    x = Value(x.dims, ctx.builder.cast(x.node, dtype))
    total = reduce(ctx, x, dims, "sum", keepdim, dtype)
    if ctx.count([a for d in dims for a in x.dims[d]]).is_one():
        return total
    return Value(
        total.dims,
        ctx.builder.apply("div", total.node, count_of(ctx, x, dims, dtype), dtype=dtype, hint=hint),
    )


def moments(ctx: Context, x: Value, dims: Sequence[int], correction: float = 0.0) -> tuple[Value, Value]:
    """Mean and variance, dimensions kept; deviations are taken from the mean, never by E[x^2] - E[x]^2."""
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, "fp64" if b.dtype(x.node) == "fp64" else "fp32"))
    dtype = b.dtype(x.node)
    center = mean(ctx, x, dims, True, dtype)
    away = b.apply("sub", x.node, center.node, dtype=dtype, hint="centered")
    squares = Value(x.dims, b.apply("mul", away, away, dtype=dtype))
    total = reduce(ctx, squares, dims, "sum", True, dtype)
    count = count_of(ctx, x, dims, dtype)
    if correction:
        count = b.apply("sub", count, b.number(float(correction), dtype), dtype=dtype)
    return center, Value(total.dims, b.apply("div", total.node, count, dtype=dtype, hint="var"))


def squeeze(value: Value, dims: Sequence[int], keepdim: bool) -> Value:
    if keepdim:
        return value
    return Value(tuple(axes for i, axes in enumerate(value.dims) if i not in dims), value.node)


@lowers("sum.dim_IntList", "sum.default", "prod.dim_int", "prod.default", "any.dim", "any.dims",
        "any.default", "all.dim", "all.dims", "all.default", "count_nonzero.default",
        "count_nonzero.dim_IntList")  # fmt: skip
def _accumulate(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target).split(".")[1]
    x = ctx.value(node.args[0])
    whole = name in ("sum", "prod") and str(node.target).endswith(".default")
    dims = reduce_dims(len(x.dims), None if whole else ctx.traces.arg(node, 1, "dim"))
    keepdim = not whole and bool(ctx.traces.arg(node, 2, "keepdim", False))
    if name == "count_nonzero":
        x = Value(x.dims, ctx.builder.cast(x.node, "int1"))
    kind = "sum" if name == "count_nonzero" else name
    return reduce(ctx, x, dims, kind, keepdim, ctx.result_type(node))


@lowers("amax.default", "amin.default", "max.default", "min.default")
def _extremum(ctx: Context, node: fx.Node) -> Lowered:
    kind = "max" if "max" in str(node.target) else "min"
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    return extremum(ctx, x, dims, kind, bool(ctx.traces.arg(node, 2, "keepdim", False)))


@lowers("aminmax.default")
def _aminmax(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 9, "dim"))
    keepdim = bool(ctx.traces.arg(node, 9, "keepdim", False))
    return extremum(ctx, x, dims, "min", keepdim), extremum(ctx, x, dims, "max", keepdim)


@lowers("argmax.default", "argmin.default")
def _place(ctx: Context, node: fx.Node) -> Lowered:
    kind = str(node.target).split(".")[1]
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    return reduce(ctx, x, dims, kind, bool(ctx.traces.arg(node, 2, "keepdim", False)), "int64")


@lowers("max.dim", "min.dim")
def _extremum_and_place(ctx: Context, node: fx.Node) -> Lowered:
    kind = "max" if ".max." in str(node.target) else "min"
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    keepdim = bool(ctx.traces.arg(node, 2, "keepdim", False))
    return extremum(ctx, x, dims, kind, keepdim), reduce(ctx, x, dims, f"arg{kind}", keepdim, "int64")


@lowers("mean.dim", "mean.default")
def _mean(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    some = ".dim" in str(node.target)
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim") if some else None)
    keepdim = some and bool(ctx.traces.arg(node, 2, "keepdim", False))
    return mean(ctx, x, dims, keepdim, ctx.result_type(node))


@lowers("var.correction", "var.dim", "var.default", "std.correction", "std.dim", "std.default",
        "var_mean.correction", "var_mean.dim", "var_mean.default", "std_mean.correction", "std_mean.dim",
        "std_mean.default")  # fmt: skip
def _var(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    x = ctx.value(node.args[0])
    if name.endswith(".correction"):
        given = ctx.traces.arg(node, 9, "correction")
        correction = 1.0 if given is None else float(given)
        dims, keepdim = ctx.traces.arg(node, 1, "dim"), ctx.traces.arg(node, 9, "keepdim", False)
    elif name.endswith(".dim"):
        correction = 1.0 if ctx.traces.arg(node, 2, "unbiased", True) else 0.0
        dims, keepdim = ctx.traces.arg(node, 1, "dim"), ctx.traces.arg(node, 3, "keepdim", False)
    else:
        correction, dims, keepdim = float(ctx.traces.arg(node, 1, "unbiased", True)), None, False
    over = reduce_dims(len(x.dims), dims)
    center, spread = moments(ctx, x, over, correction)
    if ".std" in name:
        root = ctx.builder.apply("sqrt", spread.node, dtype=ctx.builder.dtype(spread.node), hint="std")
        spread = Value(spread.dims, root)
    if "_mean" in name:
        return squeeze(spread, over, bool(keepdim)), squeeze(center, over, bool(keepdim))
    return squeeze(spread, over, bool(keepdim))


@lowers("linalg_vector_norm.default", "norm.Scalar", "norm.ScalarOpt_dim")
def _norm(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    order = ctx.traces.arg(node, 1, "ord" if "vector" in str(node.target) else "p", 2)
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 2, "dim"))
    keepdim = bool(ctx.traces.arg(node, 3, "keepdim", False))
    return vector_norm(ctx, x, 2 if order is None else order, dims, keepdim, ctx.result_type(node))


@lowers("linalg_norm.default", "linalg_matrix_norm.str_ord")
def _linalg_norm(ctx: Context, node: fx.Node) -> Lowered:
    """The Euclidean norm of all elements, or the Frobenius norm of matrices, which is the same sum."""
    matrix = "matrix_norm" in str(node.target)
    order = ctx.traces.arg(node, 1, "ord", "fro" if matrix else None)
    if order not in ("fro",) if matrix else order is not None:
        raise CannotFuseError(f"{node.name} is a matrix norm of order {order}")
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 2, "dim", [-2, -1] if matrix else None))
    keepdim = bool(ctx.traces.arg(node, 3, "keepdim", False))
    return vector_norm(ctx, x, 2, dims, keepdim, ctx.result_type(node))


def vector_norm(ctx: Context, x: Value, order: Any, dims: Sequence[int], keepdim: bool, dtype: str) -> Value:
    """(sum |x|^order)^(1/order) for the orders 0, 1, 2 and both infinities."""
    if not is_float(dtype):
        raise CannotFuseError("a norm of integers is left to torch")
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, dtype))
    if order == 2:
        squares = Value(x.dims, b.apply("mul", x.node, x.node, dtype=dtype))
        total = reduce(ctx, squares, dims, "sum", keepdim, dtype)
        return Value(total.dims, b.apply("sqrt", total.node, dtype=dtype, hint="norm"))
    if order == 0:
        nonzero = b.cast(b.apply("ne", x.node, b.number(0.0, dtype), dtype="int1"), dtype)
        return reduce(ctx, Value(x.dims, nonzero), dims, "sum", keepdim, dtype, "norm")
    kinds = {1: "sum", float("inf"): "max", float("-inf"): "min"}
    if order not in kinds:
        raise CannotFuseError(
            f"a norm of order {order} needs the power 1/{order}, which has no short exact form"
        )
    size = Value(x.dims, b.apply("abs", x.node, dtype=dtype))
    return reduce(ctx, size, dims, kinds[order], keepdim, dtype, "norm")
