"""Reductions over any dimensions: sums, products, extrema with and without indices, norms and moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import fx

from ..expr import Reduce, SizeOf
from ..space import CannotFuse
from .context import Context, Lowered, Value, is_float
from .pointwise import power
from .table import lowers

_KINDS = {"sum": "sum", "prod": "prod", "amax": "max", "amin": "min", "any": "any", "all": "all",
          "max": "max", "min": "min", "argmax": "argmax", "argmin": "argmin"}  # fmt: skip


def reduce_dims(rank: int, dims: Any) -> tuple[int, ...]:
    """Dimensions an argument names; None and [] mean all."""
    if dims is None or dims == []:
        return tuple(range(rank))
    listed = dims if isinstance(dims, list | tuple) else [dims]
    return tuple(sorted(int(d) % rank for d in listed)) if rank else ()


def reduce(ctx: Context, x: Value, dims: Sequence[int], kind: str, keepdim: bool, dtype: str, hint: str = "") -> Value:
    """Reduce dimensions of a value; a size-1 dimension reduces to itself."""
    axes = tuple(axis for d in dims for axis in ctx.space.leaves(x.dims[d]))
    kept = tuple(() if i in dims else axes for i, axes in enumerate(x.dims))
    left = kept if keepdim else tuple(axes for i, axes in enumerate(x.dims) if i not in dims)
    arg = x.node if kind in ("argmax", "argmin") else ctx.builder.cast(x.node, dtype)
    missing = frozenset(axes) - ctx.builder.free_axes(arg)
    if missing:
        raise CannotFuse("a broadcast value is reduced over the dimension it was broadcast to")
    if not axes:
        node = ctx.builder.number(0, dtype) if kind in ("argmax", "argmin") else arg
    else:
        node = ctx.builder.add(Reduce(kind, arg, axes, dtype), hint)
    return Value(left, node)


def count_of(ctx: Context, x: Value, dims: Sequence[int], dtype: str = "fp32") -> int:
    """The number of reduced elements, as a value."""
    return ctx.builder.add(SizeOf(ctx.count([a for d in dims for a in x.dims[d]]), dtype))


def mean(ctx: Context, x: Value, dims: Sequence[int], keepdim: bool, dtype: str = "fp32", hint: str = "mean") -> Value:
    x = Value(x.dims, ctx.builder.cast(x.node, dtype))
    total = reduce(ctx, x, dims, "sum", keepdim, dtype)
    return Value(total.dims, ctx.builder.apply("div", total.node, count_of(ctx, x, dims, dtype), dtype=dtype, hint=hint))


def moments(ctx: Context, x: Value, dims: Sequence[int], correction: float = 0.0) -> tuple[Value, Value]:
    """Mean and variance with kept dimensions; deviations are taken from the mean, never by E[x^2] - E[x]^2."""
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


@lowers("sum.dim_IntList", "sum.default", "prod.dim_int", "prod.default", "amax.default", "amin.default",
        "any.dim", "any.default", "all.dim", "all.default", "max.default", "min.default",
        "argmax.default", "argmin.default")  # fmt: skip
def _reduce(ctx: Context, node: fx.Node) -> Lowered:
    kind = _KINDS[str(node.target).split(".")[1]]
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim") if ".dtype" not in str(node.target) else None)
    keepdim = bool(ctx.traces.arg(node, 2, "keepdim", False))
    dtype = ctx.compute(ctx.traces.dtype(node))
    if kind in ("argmax", "argmin") and len(dims) > 1:
        dtype = "int64"
    return reduce(ctx, x, dims, kind, keepdim, dtype)


@lowers("mean.dim", "mean.default")
def _mean(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim") if "mean.dim" in str(node.target) else None)
    return mean(ctx, x, dims, bool(ctx.traces.arg(node, 2, "keepdim", False)), ctx.compute(ctx.traces.dtype(node)))


@lowers("max.dim", "min.dim")
def _extremum(ctx: Context, node: fx.Node) -> Lowered:
    kind = "max" if ".max." in str(node.target) else "min"
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    keepdim = bool(ctx.traces.arg(node, 2, "keepdim", False))
    value_type = ctx.compute(ctx.builder.dtype(x.node))
    return (
        reduce(ctx, x, dims, kind, keepdim, value_type),
        reduce(ctx, x, dims, f"arg{kind}", keepdim, "int64"),
    )


@lowers("var.correction", "var.dim", "std.correction", "std.dim", "var_mean.correction", "var_mean.dim")
def _var(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    if name.endswith(".dim"):
        correction = 1.0 if ctx.traces.arg(node, 2, "unbiased", True) else 0.0
        keepdim = bool(ctx.traces.arg(node, 3, "keepdim", False))
    else:
        given = ctx.traces.arg(node, 9, "correction")
        correction, keepdim = 1.0 if given is None else float(given), bool(ctx.traces.arg(node, 9, "keepdim", False))
    center, variance = moments(ctx, x, dims, correction)
    if ".std." in name:
        variance = Value(variance.dims, ctx.builder.apply("sqrt", variance.node, dtype=ctx.builder.dtype(variance.node)))
    if "var_mean" in name:
        return squeeze(variance, dims, keepdim), squeeze(center, dims, keepdim)
    return squeeze(variance, dims, keepdim)


@lowers("linalg_vector_norm.default", "norm.Scalar", "norm.ScalarOpt_dim")
def _norm(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    order = ctx.traces.arg(node, 1, "ord" if "vector" in str(node.target) else "p", 2)
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 2, "dim"))
    keepdim = bool(ctx.traces.arg(node, 3, "keepdim", False))
    dtype = ctx.compute(ctx.traces.dtype(node))
    if not is_float(dtype):
        raise CannotFuse(f"{node.name} is a norm of integers")
    return vector_norm(ctx, x, 2 if order is None else order, dims, keepdim, dtype)


def vector_norm(ctx: Context, x: Value, order: Any, dims: Sequence[int], keepdim: bool, dtype: str) -> Value:
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, dtype))
    size = b.apply("abs", x.node, dtype=dtype)
    if order in (float("inf"), float("-inf")):
        return reduce(ctx, Value(x.dims, size), dims, "max" if order > 0 else "min", keepdim, dtype, "norm")
    if order == 2:
        total = reduce(ctx, Value(x.dims, b.apply("mul", x.node, x.node, dtype=dtype)), dims, "sum", keepdim, dtype)
        return Value(total.dims, b.apply("sqrt", total.node, dtype=dtype, hint="norm"))
    if order == 1:
        return reduce(ctx, Value(x.dims, size), dims, "sum", keepdim, dtype, "norm")
    if order == 0:
        nonzero = b.cast(b.apply("ne", x.node, b.number(0.0, dtype), dtype="int1"), dtype)
        return reduce(ctx, Value(x.dims, nonzero), dims, "sum", keepdim, dtype, "norm")
    raised = Value(x.dims, power(b, size, order, dtype))
    total = reduce(ctx, raised, dims, "sum", keepdim, dtype)
    raise CannotFuse(f"a norm of order {order} needs a root of the sum {total.node}")
