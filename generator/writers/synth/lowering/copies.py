"""Copies, casts and constant tensors: what a fused kernel does on the way, or not at all."""

from __future__ import annotations

from typing import Any

from torch import fx

from ..dtypes import EIGHT_BITS, compute_type
from ..losses import argument
from ..space import CannotFuseError
from .context import Context, Lowered, Value, source_of
from .table import lowers


@lowers("contiguous.default", "clone.default", "lift_fresh_copy.default", "to.dtype", "to.dtype_layout",
        "to.device", "to.other", "_to_copy.default", "type_as.default")  # fmt: skip
def _copy(ctx: Context, node: fx.Node) -> Lowered:
    """A cast between floats keeps the wider value in registers; the store rounds it. One to eight bits rounds
    at once (see `rounded`)."""
    if source_of(node).meta["val"].device != node.meta["val"].device:
        raise CannotFuseError(f"{node.name} moves a tensor to another device")
    dtype = ctx.traces.dtype(node)
    x = ctx.value(node.args[0])
    return Value(x.dims, ctx.builder.cast(x.node, compute_type(dtype)) if _changes(ctx, x, dtype) else x.node)


def _changes(ctx: Context, x: Value, dtype: str) -> bool:
    """Eight bits are widened where they leave their type: nobody computes in them."""
    own = ctx.builder.dtype(x.node)
    return dtype != own if own in EIGHT_BITS else compute_type(dtype) != compute_type(own)


@lowers(
    "dropout.default", "feature_dropout.default", "alpha_dropout.default", "feature_alpha_dropout.default"
)
def _dropout(ctx: Context, node: fx.Node) -> Lowered:
    if ctx.traces.arg(node, 2, "train") and ctx.traces.arg(node, 1, "p"):
        raise CannotFuseError("dropout in training mode draws random numbers")
    return ctx.value(node.args[0])


@lowers("full.default", "full_like.default", "zeros.default", "zeros_like.default", "ones.default",
        "ones_like.default", "scalar_tensor.default", "fill.Scalar", "fill.Tensor", "zero.default",
        "new_full.default", "new_zeros.default", "new_ones.default")  # fmt: skip
def _fill(ctx: Context, node: fx.Node) -> Lowered:
    name = str(node.target)
    if "zero" in name or "ones" in name:
        fill: Any = 1 if "ones" in name else 0
    else:
        place = 0 if "scalar_tensor" in name else 2 if "new_full" in name else 1
        fill = ctx.traces.arg(node, place, "value" if ".fill." in name else "fill_value")
    number = ctx.value(fill)
    dims = tuple(ctx.space.dimension(size) for size in ctx.traces.shape(node))
    return Value(dims, ctx.builder.cast(number.node, ctx.result_type(node)))


@lowers("arange.default", "arange.start", "arange.start_step")
def _arange(ctx: Context, node: fx.Node) -> Lowered:
    """The place along a new dimension; only whole numbers that no shape changes."""
    starts_at_zero = "default" in str(node.target)
    start = 0 if starts_at_zero else ctx.traces.arg(node, 0, "start")
    step = 1 if starts_at_zero else ctx.traces.arg(node, 2, "step", 1)
    if not (isinstance(start, int) and isinstance(step, int) and start >= 0 and step > 0):
        raise CannotFuseError("an arange that is not of fixed, non-negative whole numbers")
    dim = ctx.space.dimension(ctx.traces.shape(node)[0])
    number = ctx.position(dim, start=start, step=step)
    return Value((dim,), ctx.builder.cast(number, ctx.result_type(node)))


@lowers("tril.default", "triu.default")
def _triangle(ctx: Context, node: fx.Node) -> Lowered:
    """The elements on one side of a diagonal, zero on the other."""
    b, x, dtype = ctx.builder, ctx.value(node.args[0]), ctx.result_type(node)
    diagonal = ctx.traces.arg(node, 1, "diagonal", 0)
    row, column = (ctx.position(axes) for axes in x.dims[-2:])
    if diagonal:
        row = b.apply("add", row, b.cast(ctx.value(diagonal).node, "int64"), dtype="int64")
    keep = b.apply("le" if "tril" in str(node.target) else "ge", column, row, dtype="int1")
    if dtype == "int1":
        return Value(x.dims, b.apply("and", keep, b.cast(x.node, dtype), dtype=dtype))
    kept = b.apply("where", keep, b.cast(x.node, dtype), b.number(0, dtype), dtype=dtype)
    return Value(x.dims, kept)


@lowers("diag.default", "diag_embed.default")
def _diagonal(ctx: Context, node: fx.Node) -> Lowered:
    """Vectors along the main diagonals of matrices that are zero elsewhere."""
    b, x, dtype = ctx.builder, ctx.value(node.args[0]), ctx.result_type(node)
    embeds = "embed" in str(node.target)
    asked = [argument(node, key) for key in (("offset", "dim1", "dim2") if embeds else ("diagonal",))]
    if asked != ([0, -2, -1] if embeds else [0]):
        raise CannotFuseError("only main diagonals of the last two dimensions are made here")
    if not embeds and len(x.dims) != 1:
        raise CannotFuseError("the diagonal of a matrix is left to torch")
    across = ctx.space.dimension(ctx.traces.shape(node)[-1])
    meets = b.apply("eq", ctx.position(x.dims[-1]), ctx.position(across), dtype="int1")
    found = b.apply("where", meets, b.cast(x.node, dtype), b.number(0, dtype), dtype=dtype)
    return Value((*x.dims, across), found)
