"""Composite operators kept whole by the trace: softmax and its kin, and the normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import fx

from ..space import CannotFuse
from .context import Context, Lowered, Value
from .reductions import count_of, moments, reduce, reduce_dims, squeeze
from .table import lowers


def _shifted(ctx: Context, x: Value, dims: Sequence[int]) -> tuple[Value, Value]:
    """(x - max, max); subtracting the maximum keeps exp from overflowing."""
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, "fp32"))
    peak = reduce(ctx, x, dims, "peak", True, "fp32", "row_max")
    return Value(x.dims, b.apply("sub", x.node, peak.node)), peak


@lowers("softmax.int", "_softmax.default", "log_softmax.int", "_log_softmax.default", "special_softmax.int")
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


@lowers("logsumexp.default")
def _logsumexp(ctx: Context, node: fx.Node) -> Lowered:
    b = ctx.builder
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    x = Value(x.dims, b.cast(x.node, "fp32"))
    peak = reduce(ctx, x, dims, "max", True, "fp32", "row_max")
    infinite = b.apply("eq", b.apply("abs", peak.node), b.number(float("inf"), "fp32"), dtype="int1")
    safe = b.apply("where", infinite, b.number(0.0, "fp32"), peak.node, hint="shift")
    e = b.apply("exp", b.apply("sub", x.node, safe))
    total = reduce(ctx, Value(x.dims, e), dims, "sum", True, "fp32", "denominator")
    result = Value(total.dims, b.apply("add", safe, b.apply("log", total.node)))
    return squeeze(result, dims, bool(ctx.traces.arg(node, 2, "keepdim", False)))


def _scale_shift(ctx: Context, x: Value, weight: Any, bias: Any, place: Sequence[int]) -> Value:
    """weight * x + bias, with the affine parameters laid along the dimensions `place` of x."""
    for function, parameter in (("mul", weight), ("add", bias)):
        if parameter is None:
            continue
        p = ctx.value(parameter)
        dims: list[tuple[int, ...]] = [()] * len(x.dims)
        for where, axes in zip(place, p.dims, strict=True):
            dims[where] = axes
        laid = Value(tuple(dims), ctx.builder.cast(p.node, "fp32"))
        x = Value(ctx.broadcast([x, laid]), ctx.builder.apply(function, x.node, laid.node))
    return x


def _normalize(ctx: Context, x: Value, dims: Sequence[int], eps: float) -> Value:
    b = ctx.builder
    center, variance = moments(ctx, x, dims)
    rstd = b.apply("rsqrt", b.apply("add", variance.node, b.number(float(eps), "fp32")), hint="rstd")
    away = b.apply("sub", b.cast(x.node, "fp32"), center.node)
    return Value(x.dims, b.apply("mul", away, rstd))


@lowers("layer_norm.default")
def _layer_norm(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dims = list(range(len(x.dims) - len(node.args[1]), len(x.dims)))  # type: ignore[arg-type]
    weight, bias = ctx.traces.arg(node, 2, "weight"), ctx.traces.arg(node, 3, "bias")
    normal = _normalize(ctx, x, dims, float(ctx.traces.arg(node, 4, "eps", 1e-5)))
    return _scale_shift(ctx, normal, weight, bias, dims)


@lowers("rms_norm.default")
def _rms_norm(ctx: Context, node: fx.Node) -> Lowered:
    b = ctx.builder
    x = ctx.value(node.args[0])
    x = Value(x.dims, b.cast(x.node, "fp32"))
    dims = list(range(len(x.dims) - len(node.args[1]), len(x.dims)))  # type: ignore[arg-type]
    eps = ctx.traces.arg(node, 3, "eps")
    if eps is None:
        import torch

        eps = float(torch.finfo(node.meta["val"].dtype).eps)
    total = reduce(ctx, Value(x.dims, b.apply("mul", x.node, x.node)), dims, "sum", True, "fp32")
    square = b.apply("div", total.node, count_of(ctx, x, dims))
    rstd = b.apply("rsqrt", b.apply("add", square, b.number(float(eps), "fp32")), hint="rstd")
    return _scale_shift(ctx, Value(x.dims, b.apply("mul", x.node, rstd)), ctx.traces.arg(node, 2, "weight"), None, dims)


@lowers("group_norm.default")
def _group_norm(ctx: Context, node: fx.Node) -> Lowered:
    source = node.args[0]
    assert isinstance(source, fx.Node)
    x = ctx.value(source)
    shape = ctx.traces.shape(source)
    groups = ctx.traces.arg(node, 1, "num_groups")
    groups = ctx.traces.one.like(groups) if isinstance(groups, int) else groups
    axes = [a for dim in x.dims for a in dim]
    grouped = Value(ctx.space.regroup(axes, [shape[0], groups, shape[1] // groups, *shape[2:]], node.name), x.node)
    normal = _normalize(ctx, grouped, list(range(2, len(grouped.dims))), float(ctx.traces.arg(node, 4, "eps", 1e-5)))
    back = [a for dim in normal.dims for a in dim]
    flat = Value(ctx.space.regroup(back, shape, node.name), normal.node)
    return _scale_shift(ctx, flat, ctx.traces.arg(node, 2, "weight"), ctx.traces.arg(node, 3, "bias"), [1])


@lowers("batch_norm.default", "instance_norm.default", "cudnn_batch_norm.default", "native_batch_norm.default")
def _batch_norm(ctx: Context, node: fx.Node) -> Lowered:
    """Train mode normalises with batch statistics and updates the running ones; eval mode reads them."""
    name = str(node.target)
    x = ctx.value(node.args[0])
    weight, bias, mean_buffer, var_buffer = (ctx.traces.arg(node, i, "") for i in range(1, 5))
    from_input, momentum, eps = node.args[5], node.args[6], float(node.args[7])  # type: ignore[arg-type]
    if "instance_norm" in name:
        if mean_buffer is not None:
            raise CannotFuse("instance norm with running statistics")
        normal = _normalize(ctx, x, list(range(2, len(x.dims))), eps)
        return _scale_shift(ctx, normal, weight, bias, [1])
    dims = [d for d in range(len(x.dims)) if d != 1]
    if from_input:
        if mean_buffer is not None:
            _track(ctx, x, dims, mean_buffer, var_buffer, momentum)
        return _scale_shift(ctx, _normalize(ctx, x, dims, eps), weight, bias, [1])
    return _scale_shift(ctx, _normalize_with(ctx, x, mean_buffer, var_buffer, eps), weight, bias, [1])


def _normalize_with(ctx: Context, x: Value, mean_buffer: Any, var_buffer: Any, eps: float) -> Value:
    b = ctx.builder
    stats = [ctx.value(mean_buffer), ctx.value(var_buffer)]
    laid = [Value(((), s.dims[0], *(((),) * (len(x.dims) - 2))), b.cast(s.node, "fp32")) for s in stats]
    dims = ctx.broadcast([x, *laid])
    rstd = b.apply("rsqrt", b.apply("add", laid[1].node, b.number(eps, "fp32")), hint="rstd")
    return Value(dims, b.apply("mul", b.apply("sub", b.cast(x.node, "fp32"), laid[0].node), rstd))


def _track(ctx: Context, x: Value, dims: Sequence[int], mean_buffer: Any, var_buffer: Any, momentum: Any) -> None:
    """running <- (1 - momentum) running + momentum batch; the variance with Bessel's correction."""
    b = ctx.builder
    if momentum is None:
        raise CannotFuse("running statistics as a cumulative average")
    center, variance = moments(ctx, x, dims)
    count = count_of(ctx, x, dims)
    one = b.number(1.0, "fp32")
    bessel = b.apply("div", count, b.apply("sub", count, one), hint="bessel")
    unbiased = b.apply("mul", variance.node, bessel)
    for buffer, batch in ((mean_buffer, center.node), (var_buffer, unbiased)):
        running = ctx.value(buffer)
        kept = b.apply("mul", b.cast(running.node, "fp32"), b.number(1.0 - momentum, "fp32"))
        new = b.apply("add", kept, b.apply("mul", batch, b.number(momentum, "fp32")))
        place = Value(((), running.dims[0], *(((),) * (len(x.dims) - 2))), new)
        ctx.broadcast([Value(center.dims, batch), place])
        ctx.writes.append((buffer, Value(running.dims, new)))


@lowers("glu.default")
def _glu(ctx: Context, node: fx.Node) -> Lowered:
    from .views import cut

    source = node.args[0]
    assert isinstance(source, fx.Node)
    x = ctx.value(source)
    dim = int(ctx.traces.arg(node, 1, "dim", -1)) % len(x.dims)
    half = ctx.traces.shape(node)[dim]
    a = cut(ctx, x, dim, ctx.traces.one.like(0), 1, half)
    gate = cut(ctx, x, dim, half, 1, half)
    dims = ctx.broadcast([a, gate])
    sigmoid = ctx.builder.apply("sigmoid", ctx.builder.cast(gate.node, "fp32"))
    return Value(dims, ctx.builder.apply("mul", ctx.builder.cast(a.node, "fp32"), sigmoid))


