"""Reductions in a loop: running values, neutral before it, updated by every tile, collapsed after it."""

from __future__ import annotations

from dataclasses import dataclass

from ..dtypes import TRITON, is_float
from ..expr import Reduce
from ..stages import Item, Moments, OnlineSoftmax, Single, reduce_node
from .neutral import is_neutral, neutral
from .reduce import INDEX_HELPERS, argument, base_name, collapse, helper, position_in_row, running_type
from .text import SUM, Text
from .tile import Tile
from .values import Values

MINUS_INFINITY = '-float("inf")'


@dataclass(frozen=True)
class Accumulator:
    """Names of the running values of one pass item and the type of each."""

    item: Item
    names: tuple[str, ...]
    dtypes: tuple[str, ...]


def start(values: Values, item: Item, tile: Tile) -> Accumulator:
    """Running values of an item, set to neutral before the loop; `find_shift` sets the shift of moments."""
    shape = tile.kept_shape if isinstance(item, OnlineSoftmax) else tile.shape
    bases: tuple[str, ...]
    starts: tuple[str, ...]
    dtypes: tuple[str, ...]
    if isinstance(item, OnlineSoftmax):
        bases, starts, dtypes = ("running_max", "running_sum"), (MINUS_INFINITY, "0.0"), ("fp32", "fp32")
    elif isinstance(item, Moments):
        bases, starts, dtypes = ("away_acc", "squares_acc", "shift"), ("0.0", "0.0"), ("fp32",) * 3
    else:
        bases, starts, dtypes = _start_single(values, item)
    acc = Accumulator(item, tuple(values.fresh(b) for b in bases), dtypes)
    for name, begin, dtype in zip(acc.names, starts, dtypes, strict=False):
        values.kernel.line(f"{name} = {_filled(shape, begin, TRITON[dtype])}")
    return acc


def _start_single(values: Values, item: Single) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    node = reduce_node(values.builder, item.reduce)
    dtype = running_type(values.builder, node)
    begin = neutral(node.kind, dtype)
    if node.kind in INDEX_HELPERS:
        return ("best", "best_index"), (begin, "0"), (dtype, "int32")
    return (f"{base_name(values, item.reduce)}_acc",), (begin,), (dtype,)


def _filled(shape: str, begin: str, dtype: str) -> str:
    if not shape:
        return begin
    return (
        f"tl.zeros([{shape}], {dtype})" if begin in ("0", "0.0") else f"tl.full([{shape}], {begin}, {dtype})"
    )


def step(values: Values, acc: Accumulator, tile: Tile, mask: str) -> None:
    """One tile's contribution, inside the loop."""
    if isinstance(acc.item, OnlineSoftmax):
        _step_online(values, acc, acc.item, tile, mask)
    elif isinstance(acc.item, Moments):
        _step_moments(values, acc, acc.item, mask)
    else:
        step_single(
            values, acc, reduce_node(values.builder, acc.item.reduce), argument(values, acc.item.reduce, mask)
        )


def step_single(values: Values, acc: Accumulator, node: Reduce, source: str) -> None:
    """One more element for each running value."""
    k, name = values.kernel, acc.names[0]
    if node.kind in INDEX_HELPERS:
        sign = ">" if node.kind == "argmax" else "<"
        candidate, better = values.fresh("candidate"), values.fresh("better")
        k.line(f"{candidate} = {source}")
        found = f"{candidate} {sign} {name}"
        if is_float(acc.dtypes[0]):
            found = f"({found}) | (({candidate} != {candidate}) & ({name} == {name}))"
        k.line(f"{better} = {found}")
        k.line(f"{acc.names[1]} = tl.where({better}, {position_in_row(values, node)}, {acc.names[1]})")
        k.line(f"{name} = tl.where({better}, {candidate}, {name})")
    elif node.kind in ("sum", "prod"):
        k.line(f"{name} {'+' if node.kind == 'sum' else '*'}= {source}")
    elif node.kind in ("max", "min") and is_float(acc.dtypes[0]):
        values.kernel.helpers.add(f"{node.kind}_nan")
        k.line(f"{name} = {node.kind}_nan({name}, {source})")
    else:
        high = node.kind in ("max", "peak", "any")
        k.line(f"{name} = tl.{'maximum' if high else 'minimum'}({name}, {source})")


def find_shift(values: Values, acc: Accumulator, item: Moments, tile: Tile, mask: str) -> None:
    """Before the loop: the mean of the tile at hand, the first of the row, as what is subtracted from all.

    A row of n tiles has (shift - mean)^2 <= n variance, by Cauchy and Schwarz: whatever the values are, no
    more than n rounding errors of the variance are lost when the squares of the distances are corrected by
    the square of their mean. Sums of x and x^2 themselves lose (mean / deviation)^2 of them.
    """
    k, total = values.kernel, values.builder.children(item.mean)[0]
    source, count = argument(values, total, mask), values.fresh("count")
    k.line(f"{count} = tl.sum({mask}.to(tl.float32), axis={tile.axis}{tile.keep})")
    k.line(f"{acc.names[2]} = {collapse(values, 'sum', source, tile, 'fp32')} / tl.maximum({count}, 1.0)")


def _step_moments(values: Values, acc: Accumulator, item: Moments, mask: str) -> None:
    k, (total, squares, shift) = values.kernel, acc.names
    x, away = values.value(item.x, ()), values.fresh("away")
    k.line(f"{away} = tl.where({mask}, {x.inside(SUM)} - {shift}, 0.0)")
    k.line(f"{total} += {away}")
    k.line(f"{squares} += {away} * {away}")


def _step_online(values: Values, acc: Accumulator, item: OnlineSoftmax, tile: Tile, mask: str) -> None:
    k, (peak, total) = values.kernel, acc.names
    x = values.named(item.x, ()).source
    inside = x if is_neutral(values, item.peak) else f"tl.where({mask}, {x}, {MINUS_INFINITY})"
    high, shift = values.fresh("new_max"), values.fresh("shift")
    k.line(f"{high} = tl.maximum({peak}, tl.max({inside}, axis={tile.axis}{tile.keep}))")
    k.line(f"{shift} = {finite_shift(item, high)}")
    k.line(f"{total} *= tl.exp({peak} - {shift})")
    k.line(f"{total} += tl.sum(tl.exp({inside} - {shift}), axis={tile.axis}{tile.keep})")
    k.line(f"{peak} = {high}")


def finite_shift(item: OnlineSoftmax, peak: str) -> str:
    """What is subtracted from the exponents: the maximum, but for infinite ones, whose difference is NaN."""
    if item.finite:
        return f'tl.where(tl.abs({peak}) == float("inf"), 0.0, {peak})'
    return f"tl.where({peak} == {MINUS_INFINITY}, 0.0, {peak})"


def finish(values: Values, acc: Accumulator, tile: Tile) -> None:
    """Collapse the running values after the loop and define what they stand for."""
    k, item = values.kernel, acc.item
    if isinstance(item, OnlineSoftmax):
        values.define(item.peak, Text(acc.names[0]))
        values.define(item.total, Text(acc.names[1]))
        return
    if isinstance(item, Moments):
        count = k.scalar(values.loops.columns, "count")
        define_moments(values, item, helper(values, "moments", f"{', '.join(acc.names)}, {count}", tile))
        return
    node = reduce_node(values.builder, item.reduce)
    name = values.fresh(base_name(values, item.reduce))
    if node.kind in INDEX_HELPERS:
        source = helper(values, INDEX_HELPERS[node.kind], ", ".join(acc.names), tile)
    else:
        source = collapse(values, node.kind, acc.names[0], tile, acc.dtypes[0])
    k.line(f"{name} = {source}")
    values.define(item.reduce, Text(name))


def finish_lanes(values: Values, acc: Accumulator, reduce: int) -> None:
    """The running values as they stand: each lane has reduced elements of its own."""
    kind = reduce_node(values.builder, reduce).kind
    found = acc.names[1] if kind in INDEX_HELPERS else acc.names[0]
    values.define(reduce, Text(f"({found} != 0)" if kind in ("any", "all") else found))


def define_moments(values: Values, item: Moments, source: str) -> None:
    """Name the mean and the sum of squared deviations that a device function returns."""
    mean, m2 = values.fresh("mean"), values.fresh("m2")
    values.kernel.line(f"{mean}, {m2} = {source}")
    values.define(item.mean, Text(mean))
    values.define(item.squares, Text(m2))
