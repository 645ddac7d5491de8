"""Normalisations, kept whole by the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from ..extent import Extent
from ..space import CannotFuseError
from .context import Context, Lowered, Value, source_of
from .reductions import count_of, moments, reduce
from .table import lowers


def _scale_shift(ctx: Context, x: Value, weight: Any, bias: Any, place: Sequence[int]) -> Value:
    """weight * x + bias, with the affine parameters laid along the dimensions `place` of x."""
    for function, parameter, name in (("mul", weight, "scaled"), ("add", bias, "shifted")):
        if parameter is None:
            continue
        p = ctx.value(parameter)
        dims: list[tuple[int, ...]] = [()] * len(x.dims)
        for where, axes in zip(place, p.dims, strict=True):
            dims[where] = axes
        laid = Value(tuple(dims), ctx.builder.cast(p.node, "fp32"))
        x = Value(ctx.broadcast([x, laid]), ctx.builder.apply(function, x.node, laid.node, hint=name))
    return x


def _normalize(ctx: Context, x: Value, dims: Sequence[int], eps: float) -> Value:
    b = ctx.builder
    center, variance = moments(ctx, x, dims)
    rstd = b.apply("rsqrt", b.apply("add", variance.node, b.number(float(eps), "fp32")), hint="rstd")
    away = b.apply("sub", b.cast(x.node, "fp32"), center.node)
    return Value(x.dims, b.apply("mul", away, rstd, hint="normed"))


def _last_dims(x: Value, node: fx.Node) -> list[int]:
    """The dimensions that a normalized_shape covers."""
    shape = node.args[1]
    if not isinstance(shape, list | tuple):
        raise CannotFuseError(f"{node.name} normalises over {shape!r}, not over dimensions")
    return list(range(len(x.dims) - len(shape), len(x.dims)))


@lowers("layer_norm.default")
def _layer_norm(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dims = _last_dims(x, node)
    weight, bias = ctx.traces.arg(node, 2, "weight"), ctx.traces.arg(node, 3, "bias")
    normal = _normalize(ctx, x, dims, float(ctx.traces.arg(node, 4, "eps", 1e-5)))
    return _scale_shift(ctx, normal, weight, bias, dims)


@lowers("rms_norm.default")
def _rms_norm(ctx: Context, node: fx.Node) -> Lowered:
    b = ctx.builder
    x = ctx.value(node.args[0])
    dims = _last_dims(x, node)
    x = Value(x.dims, b.cast(x.node, "fp32"))
    eps = ctx.traces.arg(node, 3, "eps")
    if eps is None:
        eps = torch.finfo(node.meta["val"].dtype).eps
    total = reduce(ctx, Value(x.dims, b.apply("mul", x.node, x.node)), dims, "sum", True, "fp32")
    square = b.apply("div", total.node, count_of(ctx, x, dims))
    rstd = b.apply("rsqrt", b.apply("add", square, b.number(float(eps), "fp32")), hint="rstd")
    normal = Value(x.dims, b.apply("mul", x.node, rstd, hint="normed"))
    return _scale_shift(ctx, normal, ctx.traces.arg(node, 2, "weight"), None, dims)


@lowers("group_norm.default")
def _group_norm(ctx: Context, node: fx.Node) -> Lowered:
    source = source_of(node)
    x = ctx.value(source)
    shape = ctx.traces.shape(source)
    groups = ctx.traces.arg(node, 1, "num_groups")
    groups = groups if isinstance(groups, Extent) else ctx.traces.one.like(groups)
    parts = [shape[0], groups, shape[1] // groups, *shape[2:]]
    grouped = Value(ctx.space.regroup([a for dim in x.dims for a in dim], parts, node.name), x.node)
    eps = float(ctx.traces.arg(node, 4, "eps", 1e-5))
    normal = _normalize(ctx, grouped, list(range(2, len(parts))), eps)
    flat = Value(ctx.space.regroup([a for dim in normal.dims for a in dim], shape, node.name), normal.node)
    return _scale_shift(ctx, flat, ctx.traces.arg(node, 2, "weight"), ctx.traces.arg(node, 3, "bias"), [1])


@lowers("instance_norm.default")
def _instance_norm(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    weight, bias, mean_buffer = (ctx.traces.arg(node, i, "") for i in range(1, 4))
    if mean_buffer is not None:
        raise CannotFuseError("instance norm with running statistics")
    normal = _normalize(ctx, x, list(range(2, len(x.dims))), float(ctx.traces.arg(node, 7, "eps")))
    return _scale_shift(ctx, normal, weight, bias, [1])


@lowers("batch_norm.default")
def _batch_norm(ctx: Context, node: fx.Node) -> Lowered:
    """Train mode normalises with batch statistics and updates the running ones; eval mode reads them."""
    x = ctx.value(node.args[0])
    weight, bias, mean_buffer, var_buffer = (ctx.traces.arg(node, i, "") for i in range(1, 5))
    in_training, momentum = ctx.traces.arg(node, 5, "training"), ctx.traces.arg(node, 6, "momentum")
    eps = float(ctx.traces.arg(node, 7, "eps"))
    if not in_training:
        return _scale_shift(ctx, _normalize_with(ctx, x, mean_buffer, var_buffer, eps), weight, bias, [1])
    dims = [d for d in range(len(x.dims)) if d != 1]
    if mean_buffer is not None:
        _track(ctx, x, dims, mean_buffer, var_buffer, float(momentum))
    return _scale_shift(ctx, _normalize(ctx, x, dims, eps), weight, bias, [1])


def _normalize_with(ctx: Context, x: Value, mean_buffer: Any, var_buffer: Any, eps: float) -> Value:
    b = ctx.builder
    stats = [ctx.value(mean_buffer), ctx.value(var_buffer)]
    laid = [Value(((), s.dims[0], *(((),) * (len(x.dims) - 2))), b.cast(s.node, "fp32")) for s in stats]
    dims = ctx.broadcast([x, *laid])
    rstd = b.apply("rsqrt", b.apply("add", laid[1].node, b.number(eps, "fp32")), hint="rstd")
    return Value(
        dims, b.apply("mul", b.apply("sub", b.cast(x.node, "fp32"), laid[0].node), rstd, hint="normed")
    )


def _track(
    ctx: Context, x: Value, dims: Sequence[int], mean_buffer: Any, var_buffer: Any, momentum: float
) -> None:
    """running <- (1 - momentum) running + momentum batch; the variance with Bessel's correction."""
    b = ctx.builder
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
