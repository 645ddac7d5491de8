"""Softmax and its kin, kept whole by the trace."""

from __future__ import annotations

from collections.abc import Sequence

from torch import fx

from .context import Context, Lowered, Value
from .reductions import reduce, reduce_dims, squeeze
from .table import lowers


def _shifted(ctx: Context, x: Value, dims: Sequence[int]) -> tuple[Value, Value]:
    """(x - max, max); subtracting the maximum keeps exp from overflowing."""
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, "fp32"))
    peak = reduce(ctx, x, dims, "peak", True, "fp32", "row_max")
    return Value(x.dims, b.apply("sub", x.node, peak.node)), peak


@lowers(
    "softmax.int",
    "log_softmax.int",
    "special_softmax.int",
    "special_log_softmax.int",
    "special_log_softmax.default",
)
def _softmax(ctx: Context, node: fx.Node) -> Lowered:
    b = ctx.builder
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    shifted, _ = _shifted(ctx, x, dims)
    e = b.apply("exp", shifted.node)
    total = reduce(ctx, Value(x.dims, e), dims, "sum", True, "fp32", "denominator")
    if "log_softmax" in str(node.target):
        return Value(x.dims, b.apply("sub", shifted.node, b.apply("log", total.node, hint="log_denominator")))
    return Value(x.dims, b.apply("div", e, total.node))


@lowers("logsumexp.default", "special_logsumexp.default")
def _logsumexp(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    return squeeze(logsumexp(ctx, x, dims), dims, bool(ctx.traces.arg(node, 2, "keepdim", False)))


def log_denominator(ctx: Context, x: Value, dims: Sequence[int]) -> int:
    """What log_softmax subtracts; as there, an infinite maximum makes it NaN."""
    b = ctx.builder
    shifted, peak = _shifted(ctx, x, dims)
    e = Value(x.dims, b.apply("exp", shifted.node))
    total = reduce(ctx, e, dims, "sum", True, "fp32", "denominator")
    return b.apply("add", peak.node, b.apply("log", total.node))


def logsumexp(ctx: Context, x: Value, dims: Sequence[int]) -> Value:
    """log of the sum of exp, dimensions kept; an infinite maximum is not subtracted."""
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, "fp32"))
    peak = reduce(ctx, x, dims, "max", True, "fp32", "row_max")
    infinite = b.apply("eq", b.apply("abs", peak.node), b.number(float("inf"), "fp32"), dtype="int1")
    safe = b.apply("where", infinite, b.number(0.0, "fp32"), peak.node, hint="shift")
    e = b.apply("exp", b.apply("sub", x.node, safe))
    total = reduce(ctx, Value(x.dims, e), dims, "sum", True, "fp32", "denominator")
    return Value(total.dims, b.apply("add", safe, b.apply("log", total.node)))
