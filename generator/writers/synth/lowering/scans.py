"""Running sums and products along a dimension."""

from __future__ import annotations

from collections.abc import Sequence

from torch import fx

from ..builder import Builder
from ..dtypes import is_float
from ..expr import Choose, Reduce, Scan
from ..space import CannotFuseError
from .context import Context, Lowered, Value
from .reductions import reduce_dims
from .table import lowers


@lowers("cumsum.default", "cumprod.default")
def _scan(ctx: Context, node: fx.Node) -> Lowered:
    """Every element with all before it; sums of short floats run in fp32, those of integers in 64 bits."""
    kind = "sum" if "cumsum" in str(node.target) else "prod"
    dtype = ctx.result_type(node)
    if not is_float(dtype) and kind == "prod":
        raise CannotFuseError("a running product of integers is left to torch")
    x = ctx.value(node.args[0])
    dims = reduce_dims(len(x.dims), ctx.traces.arg(node, 1, "dim"))
    axes = tuple(axis for d in dims for axis in ctx.space.leaves(x.dims[d]))
    arg = ctx.builder.cast(x.node, dtype)
    if not axes:
        return Value(x.dims, arg)
    if frozenset(axes) - ctx.builder.free_axes(arg):
        raise CannotFuseError("a broadcast value is summed along the dimension it was broadcast to")
    return Value(x.dims, ctx.builder.add(Scan(kind, arg, axes, dtype)))


def check_scans(builder: Builder, live: Sequence[int]) -> None:
    """A scan is written as its row is walked for the last time, in one direction."""
    scans = {i: n for i in live if isinstance(n := builder.nodes[i], Scan)}
    for i in live:
        node = builder.nodes[i]
        if isinstance(node, Reduce | Scan) and set(builder.walk(builder.children(i))) & set(scans):
            raise CannotFuseError("what was summed along a row is needed whole, by a kernel of its own")
        if scans and isinstance(node, Choose):
            raise CannotFuseError("a running sum is joined with another tensor part by part")
    if len({n.reverse for n in scans.values()}) > 1:
        raise CannotFuseError("running sums from both ends do not share a loop")
