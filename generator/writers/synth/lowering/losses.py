"""Losses, element by element or row by row; means and sums of them are operators of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from ..builder import Builder
from ..losses import argument, has_plain_classes
from ..space import CannotFuseError, Dims
from .context import Context, Lowered, Value
from .reductions import reduce
from .softmaxes import log_denominator
from .table import lowers

Formula = Callable[[Builder, int, int], int]


def _pairwise(ctx: Context, node: fx.Node, formula: Formula, second: str = "target") -> Value:
    """A formula over the prediction and the target, both as wide as the result."""
    if argument(node, "reduction") != 0:
        raise CannotFuseError("a loss is reduced before its elements are known")
    names = ("self", second)
    return ctx.pointwise(
        node, lambda a, b: formula(ctx.builder, a, b), *(argument(node, name) for name in names)
    )


@lowers("mse_loss.default")
def _squared(ctx: Context, node: fx.Node) -> Lowered:
    def formula(b: Builder, x: int, y: int) -> int:
        away = b.apply("sub", x, y)
        return b.apply("mul", away, away)

    return _pairwise(ctx, node, formula)


@lowers("l1_loss.default")
def _absolute(ctx: Context, node: fx.Node) -> Lowered:
    return _pairwise(ctx, node, lambda b, x, y: b.apply("abs", b.apply("sub", x, y)))


@lowers("smooth_l1_loss.default", "huber_loss.default")
def _smooth(ctx: Context, node: fx.Node) -> Lowered:
    """Half the square up to the bend, then linear; Huber's is the smooth one times its bend."""
    smooth = str(node.target).startswith("aten.smooth")
    bend = float(argument(node, "beta" if smooth else "delta"))

    def formula(b: Builder, x: int, y: int) -> int:
        away = b.apply("abs", b.apply("sub", x, y))
        if bend == 0:
            return away if smooth else b.number(0.0, "fp32")
        square = b.apply("mul", away, away)
        if (scale := 0.5 / bend if smooth else 0.5) != 1.0:
            square = b.apply("mul", square, b.number(scale, "fp32"))
        linear = b.apply("sub", away, b.number(0.5 * bend, "fp32"))
        if not smooth:
            linear = b.apply("mul", linear, b.number(bend, "fp32"))
        near = b.apply("lt", away, b.number(bend, "fp32"), dtype="int1")
        return b.apply("where", near, square, linear)

    return _pairwise(ctx, node, formula)


@lowers("kl_div.default")
def _divergence(ctx: Context, node: fx.Node) -> Lowered:
    """target (log target - input), 0 where the target is 0."""
    of_logs = bool(argument(node, "log_target"))

    def formula(b: Builder, x: int, y: int) -> int:
        if of_logs:
            return b.apply("mul", b.apply("exp", y), b.apply("sub", y, x))
        zero = b.number(0.0, "fp32")
        own = b.apply("mul", y, b.apply("log", y))
        own = b.apply("where", b.apply("eq", y, zero, dtype="int1"), zero, own)
        return b.apply("sub", own, b.apply("mul", y, x))

    return _pairwise(ctx, node, formula)


@lowers("binary_cross_entropy.default", "binary_cross_entropy_with_logits.default")
def _binary(ctx: Context, node: fx.Node) -> Lowered:
    """-(target log(x) + (1 - target) log(1 - x)), each logarithm at least -100 as in torch; of logits
    (1 - target) x - log(sigmoid(x)), which overflows on neither side."""
    of_logits = "logits" in str(node.target)
    weights = ("weight", "pos_weight") if of_logits else ("weight",)
    if any(argument(node, name) is not None for name in weights):
        raise CannotFuseError("a weighted loss is left to torch")

    def formula(b: Builder, x: int, y: int) -> int:
        one, least = b.number(1.0, "fp32"), b.number(-100.0, "fp32")
        if of_logits:
            away = b.apply("mul", b.apply("sub", one, y), x)
            return b.apply("sub", away, b.apply("log_sigmoid", x))
        yes = b.apply("maximum", b.apply("log", x), least)
        no = b.apply("maximum", b.apply("log1p", b.apply("neg", x)), least)
        unless = b.apply("mul", b.apply("sub", y, one), no)
        return b.apply("sub", unless, b.apply("mul", y, yes))

    return _pairwise(ctx, node, formula)


@lowers("soft_margin_loss.default")
def _soft_margin(ctx: Context, node: fx.Node) -> Lowered:
    """log(1 + exp(-target x))."""

    def formula(b: Builder, x: int, y: int) -> int:
        return b.apply("neg", b.apply("log_sigmoid", b.apply("mul", x, y)))

    return _pairwise(ctx, node, formula)


@lowers("cross_entropy_loss.default")
def _cross_entropy(ctx: Context, node: fx.Node) -> Lowered:
    """-log_softmax(x)[target] along the classes, 0 for a row that is ignored."""
    x, rows, of_target = _of_target(ctx, node)
    loss = ctx.builder.apply("sub", log_denominator(ctx, x, [1]), of_target)
    return _unless_ignored(ctx, node, Value(rows, loss))


@lowers("nll_loss_nd.default")
def _of_logarithms(ctx: Context, node: fx.Node) -> Lowered:
    """-x[target] along the classes, 0 for a row that is ignored."""
    _, rows, of_target = _of_target(ctx, node)
    return _unless_ignored(ctx, node, Value(rows, ctx.builder.apply("neg", of_target)))


def _of_target(ctx: Context, node: fx.Node) -> tuple[Value, Dims, int]:
    """The scores in fp32, the dimensions of the rows, and the score of each row's class."""
    if not has_plain_classes(node) or argument(node, "reduction") != 0:
        raise CannotFuseError("weighted, smoothed or soft classes are left to torch")
    x, target = ctx.value(argument(node, "self")), ctx.value(argument(node, "target"))
    if len(x.dims) < 2:
        raise CannotFuseError("a cross-entropy without a batch is left to torch")
    b = ctx.builder
    x = Value(x.dims, b.cast(x.node, "fp32"))
    rows = (x.dims[0], *x.dims[2:])
    if not x.dims[1]:
        raise CannotFuseError("one class leaves nothing to choose")
    for mine, given in zip(rows, target.dims, strict=True):
        ctx.space.unify(mine, given, "target")
    chosen = b.apply("eq", ctx.position(x.dims[1]), target.node, dtype="int1")
    picked = b.apply("where", chosen, x.node, b.number(0.0, "fp32"))
    found = reduce(ctx, Value(x.dims, picked), [1], "sum", False, "fp32", "of_target")
    return x, rows, found.node


def _unless_ignored(ctx: Context, node: fx.Node, loss: Value) -> Value:
    b, target = ctx.builder, ctx.value(argument(node, "target"))
    ignored = b.apply("eq", target.node, b.number(argument(node, "ignore_index"), "int64"), dtype="int1")
    return Value(loss.dims, b.apply("where", ignored, b.number(0.0, "fp32"), loss.node))


@lowers("cosine_similarity.default")
def _cosine(ctx: Context, node: fx.Node) -> Lowered:
    """x y / (|x| |y|) along a dimension, each length at least eps."""
    b, dim = ctx.builder, int(argument(node, "dim"))
    x, y = (ctx.value(argument(node, name)) for name in ("x1", "x2"))
    dims = ctx.broadcast([x, y])
    wide = [b.cast(v.node, "fp32") for v in (x, y)]
    over = [dim % len(dims)]

    def total(left: int, right: int) -> Value:
        return reduce(ctx, Value(dims, b.apply("mul", left, right)), over, "sum", False, "fp32")

    def length(number: int) -> int:
        root = b.apply("sqrt", total(number, number).node)
        return b.apply("maximum", root, b.number(float(argument(node, "eps")), "fp32"))

    both = total(*wide)
    return Value(both.dims, b.apply("div", both.node, b.apply("mul", *map(length, wide))))


@lowers("triplet_margin_loss.default")
def _triplet(ctx: Context, node: fx.Node) -> Lowered:
    """max(|a - p + eps| - |a - n + eps| + margin, 0) of Euclidean distances along the last dimension."""
    if argument(node, "p") != 2.0 or argument(node, "swap") or argument(node, "reduction") != 0:
        raise CannotFuseError("distances other than Euclid's, or swapped ones, are left to torch")
    b, eps = ctx.builder, float(argument(node, "eps"))
    anchor = argument(node, "anchor")

    def distance(other: Any) -> Value:
        away = ctx.pointwise(
            "fp32",
            lambda x, y: b.apply("add", b.apply("sub", x, y), b.number(eps, "fp32")), anchor, other
        )  # fmt: skip
        square = Value(away.dims, b.apply("mul", away.node, away.node))
        total = reduce(ctx, square, [len(square.dims) - 1], "sum", False, "fp32")
        return Value(total.dims, b.apply("sqrt", total.node))

    near, far = distance(argument(node, "positive")), distance(argument(node, "negative"))
    behind = b.apply(
        "add", b.apply("sub", near.node, far.node), b.number(float(argument(node, "margin")), "fp32")
    )
    return Value(near.dims, b.apply("relu", behind))
