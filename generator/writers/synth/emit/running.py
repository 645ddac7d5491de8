"""Reductions in a loop: running values, neutral before it, updated by every tile, collapsed after it."""

from __future__ import annotations

from dataclasses import dataclass

from ..dtypes import TRITON, is_float
from ..expr import Reduce
from ..stages import Item, OnlineSoftmax, Single, Welford, reduce_node
from .neutral import is_neutral, neutral
from .reduce import INDEX_HELPERS, argument, base_name, collapse, helper, position_in_row, running_type
from .text import Text
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
    """Running values of an item, set to neutral before the loop."""
    shape = tile.kept_shape if isinstance(item, OnlineSoftmax) else tile.shape
    bases: tuple[str, ...]
    starts: tuple[str, ...]
    dtypes: tuple[str, ...]
    if isinstance(item, OnlineSoftmax):
        bases, starts, dtypes = ("running_max", "running_sum"), (MINUS_INFINITY, "0.0"), ("fp32", "fp32")
    elif isinstance(item, Welford):
        bases, starts, dtypes = ("run_mean", "run_m2", "run_count"), ("0.0",) * 3, ("fp32",) * 3
    else:
        bases, starts, dtypes = _start_single(values, item)
    acc = Accumulator(item, tuple(values.fresh(b) for b in bases), dtypes)
    for name, begin, dtype in zip(acc.names, starts, dtypes, strict=True):
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
    elif isinstance(acc.item, Welford):
        _step_welford(values, acc, acc.item, mask)
    else:
        _step_single(
            values, acc, reduce_node(values.builder, acc.item.reduce), argument(values, acc.item.reduce, mask)
        )


def _step_single(values: Values, acc: Accumulator, node: Reduce, source: str) -> None:
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


def _step_welford(values: Values, acc: Accumulator, item: Welford, mask: str) -> None:
    k, (mean, m2, count) = values.kernel, acc.names
    x, inside, delta = values.value(item.x, ()), values.fresh("inside"), values.fresh("delta")
    k.line(f"{inside} = tl.where({mask}, {x.source}, {mean})")
    k.line(f"{count} += {mask}.to(tl.float32)")
    k.line(f"{delta} = {inside} - {mean}")
    k.line(f"{mean} += {delta} / tl.maximum({count}, 1.0)")
    k.line(f"{m2} += {delta} * ({inside} - {mean})")


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
    if isinstance(item, Welford):
        mean, m2 = values.fresh("mean"), values.fresh("m2")
        k.line(f"{mean}, {m2}, _ = {helper(values, 'join_moments', ', '.join(acc.names), tile)}")
        values.define(item.mean, Text(mean))
        values.define(item.squares, Text(m2))
        return
    node = reduce_node(values.builder, item.reduce)
    name = values.fresh(base_name(values, item.reduce))
    if node.kind in INDEX_HELPERS:
        source = helper(values, INDEX_HELPERS[node.kind], ", ".join(acc.names), tile)
    else:
        source = collapse(values, node.kind, acc.names[0], tile, acc.dtypes[0])
    k.line(f"{name} = {source}")
    values.define(item.reduce, Text(name))
