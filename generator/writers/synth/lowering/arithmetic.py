"""Element-wise arithmetic, comparisons and selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from ..builder import Builder
from ..dtypes import is_float
from ..space import CannotFuseError
from .context import Context, Lowered, Value
from .table import RULES, lowers

UNARY = {
    "abs.default": "abs", "neg.default": "neg", "exp.default": "exp", "exp2.default": "exp2",
    "log.default": "log", "log2.default": "log2", "log1p.default": "log1p", "expm1.default": "expm1",
    "sqrt.default": "sqrt", "rsqrt.default": "rsqrt", "sin.default": "sin", "cos.default": "cos",
    "erf.default": "erf",
}  # fmt: skip
ROUNDING = {"floor.default": "floor", "ceil.default": "ceil", "round.default": "round"}
BINARY = {
    "mul.Tensor": "mul", "mul.Scalar": "mul", "multiply.Tensor": "mul", "multiply.Scalar": "mul",
    "maximum.default": "maximum", "minimum.default": "minimum",
    "max.other": "maximum", "min.other": "minimum",
    "bitwise_and.Tensor": "and", "bitwise_or.Tensor": "or", "bitwise_xor.Tensor": "xor",
    "__and__.Tensor": "and", "__or__.Tensor": "or", "__xor__.Tensor": "xor",
    "logical_and.default": "and", "logical_or.default": "or", "logical_xor.default": "xor",
}  # fmt: skip
ON_BOOLS = {"mul": "and", "minimum": "and", "add": "or", "maximum": "or"}
"""What arithmetic on two booleans is."""

COMPARE = {
    "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip


def _unary(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        dtype = ctx.result_type(node)
        return ctx.pointwise(node, lambda x: ctx.builder.apply(function, x, dtype=dtype), node.args[0])

    return rule


def _rounding(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        whole = not is_float(ctx.result_type(node))
        return ctx.value(node.args[0]) if whole else _unary(function)(ctx, node)

    return rule


def _binary(function: str) -> Callable[[Context, fx.Node], Lowered]:
    def rule(ctx: Context, node: fx.Node) -> Lowered:
        dtype = ctx.result_type(node)
        a, b = ctx.traces.args(node)[:2]
        chosen = ON_BOOLS.get(function, function) if dtype == "int1" else function
        return ctx.pointwise(node, lambda x, y: ctx.builder.apply(chosen, x, y, dtype=dtype), a, b)

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
for _name, _function in ROUNDING.items():
    RULES[_name] = _rounding(_function)
for _name, _function in BINARY.items():
    RULES[_name] = _binary(_function)
for _name, _function in COMPARE.items():
    RULES[f"{_name}.Tensor"] = RULES[f"{_name}.Scalar"] = _compare(_function)


@lowers(
    "add.Tensor", "sub.Tensor", "rsub.Scalar", "rsub.Tensor", "add.Scalar", "sub.Scalar", "subtract.Tensor"
)
def _sum(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    a, b = ctx.traces.args(node)[:2]
    if "rsub" in name:
        a, b = b, a
    alpha = ctx.traces.arg(node, 2, "alpha", 1)
    dtype = ctx.result_type(node)
    function = "sub" if "sub" in name else ON_BOOLS["add"] if dtype == "int1" else "add"
    scaled = "rsub" not in name

    def build(x: int, y: int) -> int:
        if alpha != 1:
            factor = ctx.builder.cast(ctx.value(alpha).node, dtype)
            x, y = (x, times(y, factor)) if scaled else (times(x, factor), y)
        return ctx.builder.apply(function, x, y, dtype=dtype)

    def times(x: int, factor: int) -> int:
        return ctx.builder.apply("mul", x, factor, dtype=dtype)

    return ctx.pointwise(node, build, a, b)


@lowers("div.Tensor", "div.Scalar", "true_divide.Tensor", "divide.Tensor")
def _div(ctx: Context, node: fx.Node) -> Lowered:
    a, b = ctx.traces.args(node)[:2]
    dtype = ctx.result_type(node)
    return ctx.pointwise(node, lambda x, y: ctx.builder.apply("div", x, y, dtype=dtype), a, b)


@lowers("sign.default")
def _sign(ctx: Context, node: fx.Node) -> Lowered:
    if not is_float(ctx.result_type(node)):
        raise CannotFuseError("the sign of integers is left to torch")
    return ctx.pointwise(node, lambda x: ctx.builder.apply("sign", x), node.args[0])


@lowers("reciprocal.default")
def _reciprocal(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.result_type(node)
    one = ctx.builder.number(1.0, dtype)
    return ctx.pointwise(node, lambda x: ctx.builder.apply("div", one, x, dtype=dtype), node.args[0])


@lowers("square.default")
def _square(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.result_type(node)
    return ctx.pointwise(node, lambda x: ctx.builder.apply("mul", x, x, dtype=dtype), node.args[0])


@lowers("pow.Tensor_Scalar")
def _pow(ctx: Context, node: fx.Node) -> Lowered:
    dtype = ctx.result_type(node)
    return ctx.pointwise(node, lambda x: power(ctx.builder, x, node.args[1], dtype), node.args[0])


@lowers("pow.Scalar")
def _power_of(ctx: Context, node: fx.Node) -> Lowered:
    if node.args[0] != 2 or not is_float(ctx.result_type(node)):
        raise CannotFuseError("a number raised to a tensor has no short exact form")
    return ctx.pointwise(node, lambda x: ctx.builder.apply("exp2", x), node.args[1])


def power(builder: Builder, x: int, exponent: Any, dtype: str) -> int:
    """Small integer powers by multiplication, the halves by square roots; others are left to torch."""
    if exponent in (0.5, -0.5):
        return builder.apply("sqrt" if exponent > 0 else "rsqrt", x, dtype=dtype)
    if not isinstance(exponent, int | float) or exponent not in {*range(-8, 0), *range(1, 9)}:
        raise CannotFuseError(f"a power of {exponent} has no short exact form")
    if exponent < 0 and not is_float(dtype):
        raise CannotFuseError("a negative power of integers is left to torch")
    result = x
    for bit in bin(abs(int(exponent)))[3:]:
        result = builder.apply("mul", result, result, dtype=dtype)
        if bit == "1":
            result = builder.apply("mul", result, x, dtype=dtype)
    return result if exponent > 0 else builder.apply("div", builder.number(1.0, dtype), result, dtype=dtype)


@lowers(
    "clamp.default", "clip.default", "clamp_min.default", "clamp_max.default", "clamp.Tensor", "clip.Tensor"
)
def _clamp(ctx: Context, node: fx.Node) -> Lowered:
    low, high = ctx.traces.arg(node, 1, "min"), ctx.traces.arg(node, 2, "max")
    if "clamp_max" in str(node.target):
        low, high = None, ctx.traces.arg(node, 1, "max")
    return clamp(ctx, node, low, high)


def clamp(ctx: Context, node: fx.Node, low: Any, high: Any) -> Value:
    """The first argument of a node between two bounds, each optional; a NaN stays one."""
    dtype = ctx.result_type(node)
    bounds = [b for b in (low, high) if b is not None]

    def build(value: int, *limits: int) -> int:
        rest = list(limits)
        if low is not None:
            value = ctx.builder.apply("maximum", value, rest.pop(0), dtype=dtype)
        if high is not None:
            value = ctx.builder.apply("minimum", value, rest.pop(0), dtype=dtype)
        return value

    return ctx.pointwise(node, build, node.args[0], *bounds)


@lowers("where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar")
def _where(ctx: Context, node: fx.Node) -> Lowered:
    condition, a, b = ctx.traces.args(node)[:3]
    return select(ctx, node, condition, a, b)


@lowers("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(ctx: Context, node: fx.Node) -> Lowered:
    x, mask, fill = ctx.traces.args(node)[:3]
    return select(ctx, node, mask, fill, x)


def select(ctx: Context, node: fx.Node, condition: Any, a: Any, b: Any) -> Value:
    dtype = ctx.result_type(node)
    values = [ctx.value(v) for v in (condition, a, b)]
    mask = ctx.builder.cast(values[0].node, "int1")
    chosen = [ctx.builder.cast(v.node, dtype) for v in values[1:]]
    return Value(ctx.broadcast(values), ctx.builder.apply("where", mask, *chosen, dtype=dtype))


@lowers("lerp.Scalar", "lerp.Tensor")
def _lerp(ctx: Context, node: fx.Node) -> Lowered:
    """From whichever end is nearer, as torch does it, so that weights 0 and 1 give the ends exactly."""
    b, dtype = ctx.builder, ctx.result_type(node)

    def build(start: int, end: int, weight: int) -> int:
        way = b.apply("sub", end, start, dtype=dtype)
        forth = b.apply("add", start, b.apply("mul", weight, way, dtype=dtype), dtype=dtype)
        rest = b.apply("sub", b.number(1.0, dtype), weight, dtype=dtype)
        back = b.apply("sub", end, b.apply("mul", rest, way, dtype=dtype), dtype=dtype)
        near = b.apply("lt", b.apply("abs", weight, dtype=dtype), b.number(0.5, dtype), dtype="int1")
        return b.apply("where", near, forth, back, dtype=dtype)

    return ctx.pointwise(node, build, *ctx.traces.args(node)[:3])


@lowers("addcmul.default", "addcdiv.default")
def _addc(ctx: Context, node: fx.Node) -> Lowered:
    """x + factor * a * b, or x + factor * a / b."""
    b, dtype = ctx.builder, ctx.result_type(node)
    function = "div" if "addcdiv" in str(node.target) else "mul"
    factor = ctx.traces.arg(node, 3, "value", 1)

    def build(x: int, left: int, right: int) -> int:
        if factor != 1:
            left = b.apply("mul", b.cast(ctx.value(factor).node, dtype), left, dtype=dtype)
        return b.apply("add", x, b.apply(function, left, right, dtype=dtype), dtype=dtype)

    return ctx.pointwise(node, build, *ctx.traces.args(node)[:3])


@lowers("logical_not.default", "bitwise_not.default")
def _not(ctx: Context, node: fx.Node) -> Lowered:
    x = ctx.value(node.args[0])
    dtype = ctx.builder.dtype(x.node)
    if dtype == "int1" or "bitwise" in str(node.target):
        return Value(x.dims, ctx.builder.apply("invert", x.node, dtype=dtype))
    return Value(x.dims, ctx.builder.apply("not", x.node, dtype="int1"))


@lowers("isnan.default", "isinf.default", "isfinite.default")
def _is(ctx: Context, node: fx.Node) -> Lowered:
    b, x = ctx.builder, ctx.value(node.args[0])
    number = b.cast(x.node, "fp32")
    if "isnan" in str(node.target):
        return Value(x.dims, b.apply("isnan", number, dtype="int1"))
    function = "eq" if "isinf" in str(node.target) else "lt"
    size = b.apply("abs", number)
    return Value(x.dims, b.apply(function, size, b.number(float("inf"), "fp32"), dtype="int1"))
