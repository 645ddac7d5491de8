"""Reductions of a tile that holds whole rows, as Triton source."""

from __future__ import annotations

from ..builder import Builder
from ..dtypes import is_float
from ..expr import Apply, Reduce
from ..space import Affine
from ..stages import reduce_node
from .neutral import is_neutral, neutral
from .text import Text
from .tile import Tile
from .values import Values

BASES = {"sum": "total", "prod": "product", "max": "largest", "min": "smallest", "peak": "row_max",
         "any": "any_true", "all": "all_true"}  # fmt: skip
INDEX_HELPERS = {"argmax": "index_of_max", "argmin": "index_of_min"}


def running_type(builder: Builder, node: Reduce) -> str:
    """The type a reduction runs in; truth is counted in int32."""
    return "int32" if node.kind in ("any", "all") else builder.dtype(node.arg)


def argument(values: Values, reduce: int, mask: str) -> str:
    """The reduced value in this tile, with lanes beyond the row set to the neutral element."""
    node = reduce_node(values.builder, reduce)
    value = values.value(node.arg, ())
    if node.kind in ("any", "all"):
        value = Text(f"{value.inside(100)}.to(tl.int32)")
    if not mask or is_neutral(values, reduce):
        return value.source
    return f"tl.where({mask}, {value.source}, {neutral(node.kind, running_type(values.builder, node))})"


def collapse(values: Values, kind: str, source: str, tile: Tile, dtype: str) -> str:
    """A tile reduced along its axis; extrema of floats let a NaN win, except the shift of a softmax."""
    if kind == "sum":
        return f"tl.sum({source}, axis={tile.axis}{tile.keep})"
    if kind == "prod":
        values.kernel.helpers.add("multiply")
        return f"tl.reduce({source}, {tile.axis}, multiply{tile.keep})"
    high = kind in ("max", "peak", "any")
    if kind == "peak" or not is_float(dtype):
        found = f"tl.{'max' if high else 'min'}({source}, axis={tile.axis}{tile.keep})"
        return f"{found} != 0" if kind in ("any", "all") else found
    return helper(values, "largest" if high else "smallest", source, tile)


def helper(values: Values, name: str, arguments: str, tile: Tile) -> str:
    """A call of a device function that reduces along the tile's axis."""
    values.kernel.helpers.add(name)
    return f"{name}({arguments}, {tile.axis}, {tile.two_dimensional})"


def position_in_row(values: Values, node: Reduce) -> str:
    """The index torch counts along the reduced dimensions, row-major in their order."""
    space = values.builder.space
    index = space.row_major((space.leaves(node.axes),), (space.one,))
    return values.indexer.text(Affine(index.terms, space.one.like(0)), {})


def reduce_tile(values: Values, reduce: int, tile: Tile, mask: str) -> None:
    """The whole row is in the tile: one collapse."""
    node = reduce_node(values.builder, reduce)
    source = argument(values, reduce, mask)
    if node.kind in INDEX_HELPERS:
        place = position_in_row(values, node)
        source = helper(values, INDEX_HELPERS[node.kind], f"{source}, {place}", tile)
    else:
        source = collapse(values, node.kind, source, tile, running_type(values.builder, node))
    name = values.fresh(base_name(values, reduce))
    values.kernel.line(f"{name} = {source}")
    values.define(reduce, Text(name))


def base_name(values: Values, reduce: int) -> str:
    """What a reduction is called: as hinted, or by its kind."""
    node = reduce_node(values.builder, reduce)
    hint = values.builder.hints.get(reduce)
    child = values.builder.nodes[node.arg]
    if hint:
        return hint
    if (
        node.kind == "sum"
        and isinstance(child, Apply)
        and child.function == "mul"
        and len(set(child.args)) == 1
    ):
        return "sum_of_squares"
    return BASES.get(node.kind, node.kind)
