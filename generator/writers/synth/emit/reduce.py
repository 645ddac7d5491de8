"""Reductions as Triton source: at once over a tile, step by step in a loop, or joined from the parts of split rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Apply, Reduce
from ..space import Affine
from ..stages import Item, OnlineSoftmax, Single, Welford
from .neutral import is_neutral
from .text import TRITON_DTYPES, Text
from .tile import Tile
from .values import Values

INT_LIMITS = {"int64": 63, "int32": 31, "int16": 15, "int8": 7}


@dataclass(frozen=True)
class Accumulator:
    """Names of the running values of one pass item and the type of each."""

    item: Item
    names: tuple[str, ...]
    starts: tuple[str, ...]
    dtypes: tuple[str, ...]


def neutral(kind: str, dtype: str) -> str:
    """The value that changes nothing under a reduction."""
    if kind in ("sum", "any"):
        return "0" if dtype.startswith("int") else "0.0"
    if kind in ("prod", "all"):
        return "1" if dtype.startswith("int") else "1.0"
    high = kind in ("max", "peak", "argmax")
    if dtype in INT_LIMITS:
        bits = INT_LIMITS[dtype]
        return f"-(1 << {bits})" if high else f"(1 << {bits}) - 1"
    if dtype in ("uint8", "int1"):
        return "0" if high else "255"
    return '-float("inf")' if high else 'float("inf")'


def argument(values: Values, reduce: int, mask: str) -> str:
    """The reduced value in this tile, with lanes beyond the row set to the neutral element."""
    node = values.builder.nodes[reduce]
    assert isinstance(node, Reduce)
    value = values.value(node.arg, ())
    dtype = values.builder.dtype(node.arg)
    if node.kind in ("any", "all"):
        value = (
            Text(f"({value.source}).to(tl.int32)")
            if dtype == "int1"
            else Text(f"({value.source} != 0).to(tl.int32)")
        )
        dtype = "int32"
    if not mask or is_neutral(values, reduce):
        return value.source
    return f"tl.where({mask}, {value.source}, {neutral(node.kind, dtype)})"


def collapse(values: Values, kind: str, source: str, tile: Tile, dtype: str) -> str:
    """A tile reduced along its axis."""
    if kind == "sum":
        return f"tl.sum({source}, axis={tile.axis}{tile.keep})"
    if kind == "peak" or (kind in ("max", "min") and dtype not in ("fp32", "fp16", "bf16")):
        return f"tl.{'min' if kind == 'min' else 'max'}({source}, axis={tile.axis}{tile.keep})"
    if kind in ("any", "all"):
        return f"tl.{'max' if kind == 'any' else 'min'}({source}, axis={tile.axis}{tile.keep}) != 0"
    if kind == "prod":
        values.kernel.helpers.add("multiply")
        return f"tl.reduce({source}, {tile.axis}, multiply{tile.keep})"
    return helper(values, "largest" if kind == "max" else "smallest", source, tile)


def helper(values: Values, name: str, arguments: str, tile: Tile) -> str:
    """A call of a device function that reduces along the tile's axis."""
    values.kernel.helpers.add(name)
    return f"{name}({arguments}, {tile.axis}, {tile.two_dimensional})"


def position_in_row(values: Values, node: Reduce) -> str:
    """The index torch counts along the reduced dimensions, row-major in their order."""
    space = values.builder.space
    step, terms = space.one, []
    for axis in reversed(space.leaves(node.axes)):
        terms.append((axis, step))
        step = step * space.sizes[axis]
    return values.indexer.text(Affine(tuple(terms), space.one.like(0)), {})


def reduce_tile(values: Values, reduce: int, tile: Tile, mask: str) -> None:
    """The whole row is in the tile: one collapse."""
    node = values.builder.nodes[reduce]
    assert isinstance(node, Reduce)
    name = values.fresh(values.builder.hints.get(reduce) or _base(values, node))
    if node.kind in ("argmax", "argmin"):
        _first_index(values, node, argument(values, reduce, mask), position_in_row(values, node), tile, name)
    else:
        source = argument(values, reduce, mask)
        values.kernel.line(
            f"{name} = {collapse(values, node.kind, source, tile, values.builder.dtype(node.arg))}"
        )
    values.define(reduce, Text(name))


def _first_index(values: Values, node: Reduce, source: str, index: str, tile: Tile, name: str) -> None:
    arguments = f"{source}, {index}"
    values.kernel.line(f"{name} = {helper(values, _index_helper(node), arguments, tile)}")


def _index_helper(node: Reduce) -> str:
    return "index_of_max" if node.kind == "argmax" else "index_of_min"


def start(values: Values, item: Item, tile: Tile) -> Accumulator:
    """Running values of an item, set to neutral before the loop."""
    b = values.builder
    if isinstance(item, OnlineSoftmax):
        acc = _accumulator(
            values, item, ("running_max", "running_sum"), ('-float("inf")', "0.0"), ("fp32", "fp32")
        )
        shape = tile.kept_shape
    elif isinstance(item, Welford):
        acc = _accumulator(values, item, ("run_mean", "run_m2", "run_count"), ("0.0",) * 3, ("fp32",) * 3)
        shape = tile.shape
    else:
        node = b.nodes[item.reduce]
        assert isinstance(node, Reduce)
        dtype = "int32" if node.kind in ("any", "all") else b.dtype(node.arg)
        base = b.hints.get(item.reduce) or _base(values, node)
        names, starts, dtypes = (f"{base}_acc",), (neutral(node.kind, dtype),), (dtype,)
        if node.kind in ("argmax", "argmin"):
            names, starts, dtypes = ("best", "best_index"), (*starts, "0"), (dtype, "int32")
        acc = _accumulator(values, item, names, starts, dtypes)
        shape = tile.shape
    for name, begin, dtype in zip(acc.names, acc.starts, acc.dtypes, strict=True):
        full = f"tl.full([{shape}], {begin}, {TRITON_DTYPES[dtype]})"
        if begin == "0.0" and shape:
            full = f"tl.zeros([{shape}], {TRITON_DTYPES[dtype]})"
        values.kernel.line(f"{name} = {full if shape else begin}")
    return acc


def _accumulator(
    values: Values, item: Item, names: tuple[str, ...], starts: tuple[str, ...], dtypes: tuple[str, ...]
) -> Accumulator:
    return Accumulator(item, tuple(values.fresh(n) for n in names), starts, dtypes)


def step(values: Values, acc: Accumulator, tile: Tile, mask: str) -> None:
    """One tile's contribution, inside the loop."""
    k, item = values.kernel, acc.item
    if isinstance(item, OnlineSoftmax):
        _step_online(values, acc, item, tile, mask)
        return
    if isinstance(item, Welford):
        mean, m2, count = acc.names
        x = values.named(item.x, ()).source
        delta, inside = values.fresh("delta"), mask
        k.line(f"{count} += tl.where({inside}, 1.0, 0.0)")
        k.line(f"{delta} = tl.where({inside}, {x} - {mean}, 0.0)")
        k.line(f"{mean} += {delta} / tl.maximum({count}, 1.0)")
        k.line(f"{m2} += {delta} * ({x} - {mean})")
        return
    node = values.builder.nodes[item.reduce]
    assert isinstance(node, Reduce)
    source = argument(values, item.reduce, mask)
    name = acc.names[0]
    if node.kind in ("argmax", "argmin"):
        sign = ">" if node.kind == "argmax" else "<"
        candidate = values.fresh("candidate")
        k.line(f"{candidate} = {source}")
        k.line(f"better = ({candidate} {sign} {name}) | (({candidate} != {candidate}) & ({name} == {name}))")
        k.line(f"{acc.names[1]} = tl.where(better, {position_in_row(values, node)}, {acc.names[1]})")
        k.line(f"{name} = tl.where(better, {candidate}, {name})")
    elif node.kind == "sum":
        k.line(f"{name} += {source}")
    elif node.kind == "prod":
        k.line(f"{name} *= {source}")
    elif node.kind in ("max", "min") and acc.dtypes[0] == "fp32":
        values.kernel.helpers.add(f"{node.kind}_nan")
        k.line(f"{name} = {node.kind}_nan({name}, {source})")
    else:
        high = node.kind in ("max", "peak", "any")
        k.line(f"{name} = tl.{'maximum' if high else 'minimum'}({name}, {source})")


def _step_online(values: Values, acc: Accumulator, item: OnlineSoftmax, tile: Tile, mask: str) -> None:
    k = values.kernel
    peak, total = acc.names
    x = values.named(item.x, ()).source
    inside = x if is_neutral(values, item.peak) else f'tl.where({mask}, {x}, -float("inf"))'
    k.line(f"new_max = tl.maximum({peak}, tl.max({inside}, axis={tile.axis}{tile.keep}))")
    k.line('shift = tl.where(new_max == -float("inf"), 0.0, new_max)')
    k.line(
        f"{total} = {total} * tl.exp({peak} - shift) + tl.sum(tl.exp({inside} - shift), axis={tile.axis}{tile.keep})"
    )
    k.line(f"{peak} = new_max")


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
    node = values.builder.nodes[item.reduce]
    assert isinstance(node, Reduce)
    name = values.fresh(values.builder.hints.get(item.reduce) or _base(values, node))
    if node.kind in ("argmax", "argmin"):
        k.line(f"{name} = {helper(values, _index_helper(node), f'{acc.names[0]}, {acc.names[1]}', tile)}")
    else:
        k.line(f"{name} = {collapse(values, node.kind, acc.names[0], tile, acc.dtypes[0])}")
    values.define(item.reduce, Text(name))


def _base(values: Values, node: Reduce) -> str:
    child = values.builder.nodes[node.arg]
    if (
        node.kind == "sum"
        and isinstance(child, Apply)
        and child.function == "mul"
        and child.args[0] == child.args[1]
    ):
        return "sum_of_squares"
    return {"sum": "total", "prod": "product", "max": "largest", "min": "smallest", "peak": "row_max"}.get(
        node.kind, node.kind
    )
