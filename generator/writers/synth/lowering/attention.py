"""Attention: scores of queries by keys, made weights, times values, without storing scores or weights."""

from __future__ import annotations

import math
from dataclasses import replace

from torch import fx

from ..expr import Attend, Contract
from ..losses import argument
from ..space import CannotFuseError
from .context import Context, Lowered, Value
from .products import combined, contract, operand
from .settled import inverse_root
from .table import lowers


@lowers("scaled_dot_product_attention.default")
def _attention(ctx: Context, node: fx.Node) -> Lowered:
    """softmax(scale x query key^T + mask) value; a row without any key to look at is 0, as in torch."""
    if argument(node, "dropout_p"):
        raise CannotFuseError("dropout draws random numbers")
    query, key, value = (operand(ctx, argument(node, name)) for name in ("query", "key", "value"))
    lead = "abcdfghijl"[: len(query.dims) - 2]
    if len(key.dims) != len(query.dims) or len(value.dims) != len(query.dims):
        raise CannotFuseError("an attention whose operands differ in rank")
    inner, outer = f"{lead}Me", f"{lead}Ne"
    if argument(node, "enable_gqa"):
        query, inner, outer = _grouped(ctx, query, key, lead)
    scores = contract(ctx, query, inner, key, outer, inner[:-1] + "N")
    scores = combined(ctx, "mul", scores, _scale(ctx, node))
    scores = _masked(ctx, node, scores)
    found = attended(ctx, scores, inner[:-1] + "N", value, outer[:-1] + "v", inner[:-1] + "v", empty=True)
    if len(inner) > len(lead) + 2:
        *batch, heads, group, rows, cols = found.dims
        return Value((*batch, (*heads, *group), rows, cols), found.node)
    return found


def _grouped(ctx: Context, query: Value, key: Value, lead: str) -> tuple[Value, str, str]:
    """Queries whose heads share keys in groups: those of one group are more rows of the same product."""
    own, shared = (ctx.space.size(ctx.space.leaves(v.dims[-3])) for v in (query, key))
    heads, group = ctx.space.regroup(query.dims[-3], (shared, own // shared), "heads")
    query = Value((*query.dims[:-3], heads, group, *query.dims[-2:]), query.node)
    return query, f"{lead}GMe", f"{lead}Ne"


def _scale(ctx: Context, node: fx.Node) -> Value:
    """What scores are multiplied by: as given, or one over the root of the length of a query."""
    given, b = argument(node, "scale"), ctx.builder
    if given is not None:
        return ctx.value(ctx.traces.arg(node, len(node.args), "scale"))
    length = ctx.traces.shape(argument(node, "query"))[-1]
    if length.literal is not None:
        return Value((), b.number(1 / math.sqrt(length.full), "fp32"))
    return Value((), inverse_root(b, length))


def _masked(ctx: Context, node: fx.Node, scores: Value) -> Value:
    b, mask = ctx.builder, argument(node, "attn_mask")
    nothing = b.number(-math.inf, "fp32")
    if argument(node, "is_causal"):
        row, column = (ctx.position(axes) for axes in scores.dims[-2:])
        seen = b.apply("le", column, row, dtype="int1")
        scores = Value(scores.dims, b.apply("where", seen, scores.node, nothing))
    if mask is None:
        return scores
    given = ctx.value(mask)
    if len(given.dims) > len(scores.dims) or (argument(node, "enable_gqa") and len(given.dims) > 2):
        raise CannotFuseError("a mask of other dimensions than the scores")
    dims = ctx.broadcast([scores, given])
    if b.dtype(given.node) == "int1":
        return Value(dims, b.apply("where", given.node, scores.node, nothing))
    return Value(dims, b.apply("add", scores.node, b.cast(given.node, "fp32")))


def attended(
    ctx: Context, left: Value, of_left: str, right: Value, of_right: str, of_result: str, *, empty: bool
) -> Value:
    """Softmax of the left factor along what is summed, times the right one; `empty` rows are 0, not NaN."""
    product = contract(ctx, left, of_left, right, of_right, of_result)
    node = ctx.builder.nodes[product.node]
    if isinstance(node, Attend):
        return Value(product.dims, ctx.builder.add(replace(node, softmax=True, empty=empty)))
    if not isinstance(node, Contract):
        raise CannotFuseError("an attention without keys, queries or columns")
    return Value(product.dims, ctx.builder.add(Attend(left.node, node.right, node.axes, True, empty)))
