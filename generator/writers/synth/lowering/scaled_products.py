"""Products of 8-bit floats with their scales, and casts to 8-bit floats."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import fx

from .....hardware_specs.spec import DeviceSpec
from ..dtypes import EIGHT_BITS
from ..expr import Const
from ..extent import Extent
from ..space import CannotFuseError
from ..traces import Traces
from ..views import is_view
from .context import Context, Lowered, Value
from .products import combined, contract
from .table import lowers

E4M3 = torch.float8_e4m3fn

FAST_ENOUGH = frozenset({"bf16", *EIGHT_BITS})
"""Results so coarse that the short accumulator of Hopper's 8-bit products (14 bits: relative error 2^-13 an
addition) does not show in them, where the caller allows it by `use_fast_accum`."""


@lowers("_scaled_mm.default")
def _scaled_mm(ctx: Context, node: fx.Node) -> Lowered:
    """Left x right, summed in fp32, by a scale of each side (of the tensor, or of each row and column), plus
    the bias."""
    left, right = (ctx.value(arg) for arg in node.args[:2])
    if any(ctx.builder.dtype(value.node) not in EIGHT_BITS for value in (left, right)):
        raise CannotFuseError("a scaled product of other factors than e4m3 and e5m2 is left to torch")
    if ctx.traces.arg(node, 5, "scale_result") is not None:
        raise CannotFuseError("a scale of the result is left to torch")
    rows, cols = ctx.traces.shape(node)
    fast = bool(ctx.traces.arg(node, 7, "use_fast_accum", False)) and ctx.traces.dtype(node) in FAST_ENOUGH
    found = contract(ctx, left, "MK", right, "KN", "MN", fast=fast)
    for place, name, sizes in ((2, "scale_a", (rows, 1)), (3, "scale_b", (1, cols))):
        scale = ctx.traces.arg(node, place, name)
        if not _is_scale(ctx.traces.shape(scale), sizes):
            raise CannotFuseError("scales of blocks inside of a row are left to torch")
        found = combined(ctx, "mul", found, ctx.value(scale))
    bias = ctx.traces.arg(node, 4, "bias")
    return found if bias is None else combined(ctx, "add", found, ctx.value(bias))


def without_e4m3(traces: Traces, spec: DeviceSpec) -> dict[str, str]:
    """Operators that a device cannot have in Triton, with the reason: NVIDIA's before Ada have no e4m3. Where
    there are no products of 8-bit floats otherwise, Triton widens them to fp16 on the way."""
    if spec.vendor != "nvidia" or "fp8_mma" in spec.features:
        return {}
    reason = f"Triton has no e4m3 for {spec.target}"
    held = {node for node in traces.graph.nodes if getattr(node.meta.get("val"), "dtype", None) == E4M3}
    calls = [node for node in traces.graph.nodes if node.op == "call_function" and not is_view(node)]
    return {node.name: reason for node in calls if not held.isdisjoint({node, *node.all_input_nodes})}


def _is_scale(shape: Sequence[Extent], sizes: tuple[Extent | int, Extent | int]) -> bool:
    """One number, or one for each row (rows, 1) or column (1, cols)."""
    if all(size.is_one() for size in shape):
        return True
    return len(shape) == 2 and all(
        size.is_one() if isinstance(wanted, int) else size == wanted
        for size, wanted in zip(shape, sizes, strict=True)
    )


def rounded(ctx: Context, value: Value, dtype: str) -> Value:
    """A value as one of eight bits, beyond their range as torch has it."""
    if ctx.builder.dtype(value.node) == dtype:
        return value
    if isinstance(ctx.builder.nodes[value.node], Const):
        raise CannotFuseError("a constant of 8-bit floats is left to torch")
    wide = ctx.builder.cast(value.node, "fp32")
    return Value(value.dims, ctx.builder.apply(f"to_{dtype}", wide, dtype=dtype))
