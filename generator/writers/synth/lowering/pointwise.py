"""Element-wise operators: arithmetic, comparisons, selections and torch's activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from ..expr import Builder, SizeOf
from ..extent import Extent
from ..space import CannotFuse
from .context import Context, Lowered, Value, is_float
from .table import RULES, lowers

UNARY = {
    "abs.default": "abs", "neg.default": "neg", "exp.default": "exp", "exp2.default": "exp2",
    "log.default": "log", "log2.default": "log2", "log1p.default": "log1p", "expm1.default": "expm1",
    "sqrt.default": "sqrt", "rsqrt.default": "rsqrt", "sin.default": "sin", "cos.default": "cos",
    "erf.default": "erf", "tanh.default": "tanh", "sigmoid.default": "sigmoid", "mish.default": "mish",
    "log_sigmoid.default": "log_sigmoid", "floor.default": "floor", "ceil.default": "ceil",
}  # fmt: skip
BINARY = {
    "mul.Tensor": "mul", "mul.Scalar": "mul", "maximum.default": "maximum", "minimum.default": "minimum",
    "bitwise_and.Tensor": "and", "bitwise_or.Tensor": "or", "bitwise_xor.Tensor": "xor",
    "logical_and.default": "and", "logical_or.default": "or", "logical_xor.default": "xor",
}  # fmt: skip
COMPARE = ("eq", "ne", "lt", "le", "gt", "ge")
PASS = (
    "contiguous.default", "clone.default", "alias.default", "detach.default", "lift_fresh_copy.default",
    "to.dtype", "to.dtype_layout", "to.device", "_to_copy.default", "type_as.default", "dropout.default",
    "feature_dropout.default", "alpha_dropout.default",
)  # fmt: skip


def _unary(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        dtype = ctx.compute(ctx.traces.dtype(node))
        return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x, dtype=dtype), node.args[0])

    return rule


def _binary(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        dtype = ctx.compute(ctx.traces.dtype(node))
        a, b = ctx.traces.args(node)[:2]
        return ctx.pointwise(node, lambda x, y: ctx.builder.apply(function, x, y, dtype=dtype), a, b)

    return rule


def _compare(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        a, b = ctx.traces.args(node)[:2]
        inside = ctx.promoted(node.args[0], node.args[1])
        return ctx.pointwise(
            node, lambda x, y: ctx.builder.apply(function, x, y, dtype="int1"), a, b, compute=inside
        )

    return rule


for _name, _function in UNARY.items():
    RULES[_name] = _unary(_function)
for _name, _function in BINARY.items():
    RULES[_name] = _binary(_function)
for _function in COMPARE:
    RULES[f"{_function}.Tensor"] = RULES[f"{_function}.Scalar"] = _compare(_function)


@lowers("add.Tensor", "sub.Tensor", "rsub.Scalar", "rsub.Tensor", "add.Scalar", "sub.Scalar")
def _sum(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    a, b = ctx.traces.args(node)[:2]
    if "rsub" in name:
        a, b = b, a
    alpha = ctx.traces.arg(node, 2, "alpha", 1)
    dtype = ctx.compute(ctx.traces.dtype(node))

    def build(x: int, y: int) -> int:
        if alpha != 1:
            y = ctx.builder.apply("mul", y, ctx.builder.cast(ctx.value(alpha).node, dtype), dtype=dtype)
        return ctx.builder.apply("sub" if "sub" in name else "add", x, y, dtype=dtype)

    return ctx.pointwise(node, build, a, b)


@lowers("div.Tensor", "div.Scalar")
def _div(ctx: Context, node: fx.Node) -> Lowered:
    a, b = ctx.traces.args(node)[:2]
    return ctx.pointwise(node, lambda x, y: ctx.builder.apply("div", x, y, dtype=_float(ctx, node)), a, b)


@lowers("reciprocal.default")
def _reciprocal(ctx: Context, node: fx.Node) -> Lowered:
    dtype = _float(ctx, node)
    one = ctx.builder.number(1.0, dtype)
    return ctx.pointwise(node, lambda x: ctx.builder.apply("div", one, x, dtype=dtype), node.args[0])


@lowers("square.default")
def _square(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.compute(ctx.traces.dtype(node))
    return ctx.pointwise(node, lambda x: ctx.builder.apply("mul", x, x, dtype=dtype), node.args[0])


@lowers("pow.Tensor_Scalar")
def _pow(ctx: Context, node: fx.Node) -> Lowered:
    exponent = node.args[1]
    dtype = ctx.compute(ctx.traces.dtype(node))

    def build(x: int) -> int:
        return power(ctx.builder, x, exponent, dtype)

    return ctx.pointwise(node, build, node.args[0])


def power(builder: Builder, x: int, exponent: Any, dtype: str) -> int:
    """Small integer powers by multiplication, the halves by square roots; others are left to torch."""
    if exponent in (0.5, -0.5):
        return builder.apply("sqrt" if exponent > 0 else "rsqrt", x, dtype=dtype)
    if exponent != int(exponent) or not 0 < abs(exponent) <= 8:
        raise CannotFuse(f"a power of {exponent} has no short exact form")
    result = x
    for bit in bin(abs(int(exponent)))[3:]:
        result = builder.apply("mul", result, result, dtype=dtype)
        if bit == "1":
            result = builder.apply("mul", result, x, dtype=dtype)
    return result if exponent > 0 else builder.apply("div", builder.number(1.0, dtype), result, dtype=dtype)


@lowers("relu.default")
def _relu(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.compute(ctx.traces.dtype(node))
    function = "relu" if is_float(dtype) else "relu_int"
    return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x, dtype=dtype), node.args[0])


@lowers("relu6.default", "hardtanh.default", "clamp.default", "clamp_min.default", "clamp_max.default", "clamp.Tensor")
def _clamp(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    low, high = ctx.traces.arg(node, 1, "min"), ctx.traces.arg(node, 2, "max")
    if "relu6" in name:
        low, high = 0.0, 6.0
    elif "hardtanh" in name:
        low, high = ctx.traces.arg(node, 1, "min_val", -1.0), ctx.traces.arg(node, 2, "max_val", 1.0)
    elif "clamp_max" in name:
        low, high = None, ctx.traces.arg(node, 1, "max")
    return clamp(ctx, node, node.args[0], low, high)


def clamp(ctx: Context, node: fx.Node, x: Any, low: Any, high: Any) -> Value:
    dtype = ctx.compute(ctx.traces.dtype(node))
    bounds = [b for b in (low, high) if b is not None]

    def build(value: int, *limits: int) -> int:
        rest = list(limits)
        if low is not None:
            value = ctx.builder.apply("maximum", value, rest.pop(0), dtype=dtype)
        if high is not None:
            value = ctx.builder.apply("minimum", value, rest.pop(0), dtype=dtype)
        return value

    return ctx.pointwise(node, build, x, *bounds)


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def _where(ctx: Context, node: fx.Node) -> Lowered:
    condition, a, b = ctx.traces.args(node)[:3]
    return select(ctx, node, condition, a, b)


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(ctx: Context, node: fx.Node) -> Lowered:
    x, mask, fill = ctx.traces.args(node)[:3]
    return select(ctx, node, mask, fill, x)


def select(ctx: Context, node: fx.Node, condition: Any, a: Any, b: Any) -> Value:
    dtype = ctx.compute(ctx.traces.dtype(node))
    values = [ctx.value(v) for v in (condition, a, b)]
    mask = ctx.builder.cast(values[0].node, "int1")
    chosen = [ctx.builder.cast(v.node, dtype) for v in values[1:]]
    return Value(ctx.broadcast(values), ctx.builder.apply("where", mask, *chosen, dtype=dtype))


@lowers("silu.default")
def _silu(ctx: Context, node: fx.Node) -> Lowered:
    def build(x: int) -> int:
        return ctx.builder.apply("mul", x, ctx.builder.apply("sigmoid", x))

    return ctx.pointwise(node, build, node.args[0])


@lowers("gelu.default")
def _gelu(ctx: Context, node: fx.Node) -> Lowered:
    function = "gelu_tanh" if ctx.traces.arg(node, 1, "approximate", "none") == "tanh" else "gelu"
    return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x), node.args[0])


@lowers("leaky_relu.default")
def _leaky_relu(ctx: Context, node: fx.Node) -> Lowered:
    slope = float(ctx.traces.arg(node, 1, "negative_slope", 0.01))
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
    name = str(node.target)
    alpha, scale, rate = 1.0, 1.0, 1.0
    if ".selu" in name:
        alpha, scale = 1.6732632423543772, 1.0507009873554805
    elif ".celu" in name:
        alpha = float(ctx.traces.arg(node, 1, "alpha", 1.0))
        rate = 1.0 / alpha
    else:
        alpha = float(ctx.traces.arg(node, 1, "alpha", 1.0))
        scale = float(ctx.traces.arg(node, 2, "scale", 1.0))
        rate = float(ctx.traces.arg(node, 3, "input_scale", 1.0))
    return ctx.pointwise(node, lambda *a: ctx.builder.apply("elu", *a), node.args[0], alpha, scale, rate)


@lowers("softplus.default")
def _softplus(ctx: Context, node: fx.Node) -> Lowered:
    beta = float(ctx.traces.arg(node, 1, "beta", 1.0))
    threshold = float(ctx.traces.arg(node, 2, "threshold", 20.0))
    return ctx.pointwise(node, lambda *a: ctx.builder.apply("softplus", *a), node.args[0], beta, threshold)


@lowers("hardsigmoid.default", "hardswish.default")
def _hardsigmoid(ctx: Context, node: fx.Node) -> Lowered:
    swish = "hardswish" in str(node.target)

    def build(x: int) -> int:
        b = ctx.builder
        shifted = b.apply("add", x, b.number(3.0, "fp32"))
        gate = b.apply("minimum", b.apply("maximum", shifted, b.number(0.0, "fp32")), b.number(6.0, "fp32"))
        return b.apply("div", b.apply("mul", x, gate) if swish else gate, b.number(6.0, "fp32"))

    return ctx.pointwise(node, build, node.args[0])


@lowers("hardshrink.default", "softshrink.default", "threshold.default")
def _shrink(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    bound = float(ctx.traces.arg(node, 1, "lambd", 0.5))

    def build(x: int) -> int:
        b = ctx.builder
        if ".threshold" in name:
            fill = b.number(float(ctx.traces.arg(node, 2, "value")), "fp32")
            return b.apply("where", b.apply("le", x, b.number(bound, "fp32"), dtype="int1"), fill, x)
        inside = b.apply("le", b.apply("abs", x), b.number(bound, "fp32"), dtype="int1")
        outside = x
        if ".softshrink" in name:
            high = b.apply("sub", x, b.number(bound, "fp32"))
            low = b.apply("add", x, b.number(bound, "fp32"))
            outside = b.apply("where", b.apply("gt", x, b.number(0.0, "fp32"), dtype="int1"), high, low)
        return b.apply("where", inside, b.number(0.0, "fp32"), outside)

    return ctx.pointwise(node, build, node.args[0])


@lowers("logical_not.default", "bitwise_not.default", "isnan.default")
def _not(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    function = "isnan" if "isnan" in str(node.target) else "not"
    if "bitwise" in str(node.target) and ctx.builder.dtype(x.node) != "int1":
        return Value(x.dims, ctx.builder.apply("invert", x.node, dtype=ctx.builder.dtype(x.node)))
    return Value(x.dims, ctx.builder.apply(function, x.node, dtype="int1"))


@lowers(*PASS)
def _pass(ctx: Context, node: fx.Node) -> Lowered:
    """Copies and casts. A cast between floats keeps the wider value in registers; the store rounds it."""
    if "dropout" in str(node.target) and ctx.traces.arg(node, 2, "train") and ctx.traces.arg(node, 1, "p"):
        raise CannotFuse("dropout in training mode draws random numbers")
    x = ctx.value(node.args[0])
    dtype = ctx.traces.dtype(node)
    if dtype == "unsupported":
        raise CannotFuse(f"{node.name} is {node.meta['val'].dtype}, which these kernels do not write")
    return Value(x.dims, ctx.builder.cast(x.node, ctx.compute(dtype)) if _changes(ctx, x, dtype) else x.node)


def _changes(ctx: Context, x: Value, dtype: str) -> bool:
    return ctx.compute(dtype) != ctx.compute(ctx.builder.dtype(x.node))


def _float(ctx: Context, node: fx.Node) -> str:
    dtype = ctx.compute(ctx.traces.dtype(node))
    if not is_float(dtype):
        raise CannotFuse(f"{node.name} divides integers")
    return dtype


@lowers("full.default", "full_like.default", "zeros.default", "zeros_like.default", "ones.default", "ones_like.default", "scalar_tensor.default")
def _fill(ctx: Context, node: fx.Node) -> Lowered:
    name, dtype = str(node.target), ctx.compute(ctx.traces.dtype(node))
    if "zeros" in name or "ones" in name:
        fill: Any = 1 if "ones" in name else 0
    else:
        fill = ctx.traces.arg(node, 0 if "scalar_tensor" in name else 1, "fill_value")
    number = ctx.value(fill)
    dims = tuple(ctx.space.dimension(size) for size in ctx.traces.shape(node))
    return Value(dims, ctx.builder.cast(number.node, dtype))


def size_of(ctx: Context, extent: Extent, dtype: str) -> int:
    return ctx.builder.add(SizeOf(extent, dtype))
