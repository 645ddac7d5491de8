"""Torch's activation functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from ..dtypes import is_float
from ..space import CannotFuseError
from .arithmetic import clamp
from .context import Context, Lowered, Value, source_of
from .table import RULES, lowers
from .views import cut

PLAIN = {
    "tanh.default": "tanh", "sigmoid.default": "sigmoid", "special_expit.default": "sigmoid",
    "silu.default": "silu", "mish.default": "mish", "log_sigmoid.default": "log_sigmoid",
}  # fmt: skip
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805  # Klambauer et al. 2017, as in torch


def _plain(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x), node.args[0])

    return rule


for _name, _function in PLAIN.items():
    RULES[_name] = _plain(_function)


@lowers("relu.default")
def _relu(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.result_type(node)
    function = "relu" if is_float(dtype) else "relu_int"
    return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x, dtype=dtype), node.args[0])


@lowers("relu6.default", "hardtanh.default")
def _hardtanh(ctx: Context, node: fx.Node) -> Lowered:
    if "relu6" in str(node.target):
        return clamp(ctx, node, 0.0, 6.0)
    return clamp(ctx, node, ctx.traces.arg(node, 1, "min_val", -1.0), ctx.traces.arg(node, 2, "max_val", 1.0))


@lowers("gelu.default")
def _gelu(ctx: Context, node: fx.Node) -> Lowered:
    function = "gelu_tanh" if ctx.traces.arg(node, 1, "approximate", "none") == "tanh" else "gelu"
    return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x), node.args[0])


@lowers("leaky_relu.default", "rrelu.default")
def _leaky_relu(ctx: Context, node: fx.Node) -> Lowered:
    """Also rrelu outside training, whose slope is then the middle of its range."""
    if "rrelu" in str(node.target):
        if ctx.traces.arg(node, 3, "training", False):
            raise CannotFuseError("rrelu in training mode draws random numbers")
        slope = (ctx.traces.arg(node, 1, "lower", 0.125) + ctx.traces.arg(node, 2, "upper", 1 / 3)) / 2
    else:
        slope = ctx.traces.arg(node, 1, "negative_slope", 0.01)
    return ctx.pointwise(node, lambda x, s: ctx.builder.apply("leaky_relu", x, s), node.args[0], slope)


@lowers("prelu.default")
def _prelu(ctx: Context, node: fx.Node) -> Lowered:
    x, weight = (ctx.value(a) for a in node.args[:2])
    if len(weight.dims) == 1 and len(x.dims) > 1:
        weight = Value(((),) + weight.dims + ((),) * (len(x.dims) - 2), weight.node)
    args = [ctx.builder.cast(v.node, "fp32") for v in (x, weight)]
    return Value(ctx.broadcast([x, weight]), ctx.builder.apply("leaky_relu", *args))


@lowers("elu.default", "selu.default", "celu.default")
def _elu(ctx: Context, node: fx.Node) -> Lowered:
    """scale * (x if x > 0 else alpha * (exp(rate * x) - 1)); selu and celu fix some of the three."""
    name = str(node.target)
    alpha, scale, rate = SELU_ALPHA, SELU_SCALE, 1.0
    if ".selu" not in name:
        alpha = float(ctx.traces.arg(node, 1, "alpha", 1.0))
        scale = 1.0 if ".celu" in name else float(ctx.traces.arg(node, 2, "scale", 1.0))
        rate = 1.0 / alpha if ".celu" in name else float(ctx.traces.arg(node, 3, "input_scale", 1.0))
    b = ctx.builder

    def times(factor: float, x: int) -> int:
        return x if factor == 1.0 else b.apply("mul", b.number(factor, "fp32"), x)

    def build(x: int) -> int:
        low = times(alpha * scale, b.apply("expm1", times(rate, x)))
        return b.apply("where", b.apply("gt", x, b.number(0.0, "fp32"), dtype="int1"), times(scale, x), low)

    return ctx.pointwise(node, build, node.args[0])


@lowers("softplus.default")
def _softplus(ctx: Context, node: fx.Node) -> Lowered:
    beta = float(ctx.traces.arg(node, 1, "beta", 1.0))
    threshold = float(ctx.traces.arg(node, 2, "threshold", 20.0))
    return ctx.pointwise(node, lambda *a: ctx.builder.apply("softplus", *a), node.args[0], beta, threshold)


@lowers("hardsigmoid.default", "hardswish.default")
def _hardsigmoid(ctx: Context, node: fx.Node) -> Lowered:
    b, swish = ctx.builder, "hardswish" in str(node.target)

    def build(x: int) -> int:
        shifted = b.apply("add", x, b.number(3.0, "fp32"))
        gate = b.apply("minimum", b.apply("maximum", shifted, b.number(0.0, "fp32")), b.number(6.0, "fp32"))
        return b.apply("div", b.apply("mul", x, gate) if swish else gate, b.number(6.0, "fp32"))

    return ctx.pointwise(node, build, node.args[0])


@lowers("hardshrink.default", "softshrink.default")
def _shrink(ctx: Context, node: fx.Node) -> Lowered:
    """Zero within the bound; outside it x, which softshrink draws in by the bound."""
    b, soft = ctx.builder, ".softshrink" in str(node.target)
    bound = b.number(float(ctx.traces.arg(node, 1, "lambd", 0.5)), "fp32")
    zero = b.number(0.0, "fp32")

    def build(x: int) -> int:
        inside = b.apply("le", b.apply("abs", x), bound, dtype="int1")
        outside = x
        if soft:
            positive = b.apply("gt", x, zero, dtype="int1")
            outside = b.apply("where", positive, b.apply("sub", x, bound), b.apply("add", x, bound))
        return b.apply("where", inside, zero, outside)

    return ctx.pointwise(node, build, node.args[0])


@lowers("threshold.default")
def _threshold(ctx: Context, node: fx.Node) -> Lowered:
    b, dtype = ctx.builder, ctx.result_type(node)

    def build(x: int, bound: int, fill: int) -> int:
        return b.apply("where", b.apply("le", x, bound, dtype="int1"), fill, x, dtype=dtype)

    return ctx.pointwise(node, build, *ctx.traces.args(node)[:3])


@lowers("glu.default")
def _glu(ctx: Context, node: fx.Node) -> Lowered:
    """The first half of a dimension, gated by the sigmoid of the second."""
    x = ctx.value(source_of(node))
    dim = int(ctx.traces.arg(node, 1, "dim", -1)) % len(x.dims)
    half = ctx.traces.shape(node)[dim]
    halves: list[Any] = [cut(ctx, x, dim, start, 1, half) for start in (ctx.traces.one.like(0), half)]
    a, gate = (ctx.builder.cast(v.node, "fp32") for v in halves)
    return Value(ctx.broadcast(halves), ctx.builder.apply("mul", a, ctx.builder.apply("sigmoid", gate)))
