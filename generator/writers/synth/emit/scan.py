"""Running sums and products: a scan of the tile, carried on from the tiles before it."""

from __future__ import annotations

from ..dtypes import TRITON, is_float
from ..expr import Scan
from .neutral import neutral, padding
from .reduce import collapse
from .text import Text
from .tile import Tile
from .values import Values

_CALLS = {"sum": ("cumsum", "+"), "prod": ("cumprod", "*")}


def start_scans(values: Values, tile: Tile) -> dict[int, str]:
    """For every scan a variable with what the tiles before have come to, neutral at first."""
    carries: dict[int, str] = {}
    for number in values.loops.scans:
        node = _scan(values, number)
        carries[number] = values.fresh("carry")
        begin, dtype = neutral(node.kind, node.dtype), TRITON[node.dtype]
        plain = not tile.kept_shape and is_float(node.dtype)
        filled = begin if plain else f"tl.full([{tile.kept_shape}], {begin}, {dtype})"
        values.kernel.line(f"{carries[number]} = {filled}")
    return carries


def scan_tile(values: Values, tile: Tile, mask: str, carries: dict[int, str] | None = None) -> None:
    """Define every scan in this tile; without `carries` the tile is the whole row."""
    k = values.kernel
    for number in values.loops.scans:
        node = _scan(values, number)
        call, sign = _CALLS[node.kind]
        source, name = _argument(values, node, mask), values.fresh(f"running_{node.kind}")
        back = ", reverse=True" if node.reverse else ""
        found = f"tl.{call}({source}, axis={tile.axis}{back})"
        if carries is None:
            k.line(f"{name} = {found}")
        else:
            carry = carries[number]
            k.line(f"{name} = {carry} {sign} {found}")
            k.line(f"{carry} {sign}= {collapse(values, node.kind, source, tile, node.dtype)}")
        values.define(number, Text(name))


def _argument(values: Values, node: Scan, mask: str) -> str:
    """What is scanned, as a variable; lanes beyond the row change nothing."""
    source = values.named(node.arg, ()).source
    if not mask or (node.kind == "sum" and padding(values, node.arg) == "zero"):
        return source
    name = values.fresh("inside_row")
    values.kernel.line(f"{name} = tl.where({mask}, {source}, {neutral(node.kind, node.dtype)})")
    return name


def _scan(values: Values, number: int) -> Scan:
    node = values.builder.nodes[number]
    if not isinstance(node, Scan):
        raise TypeError(f"expression {number} is {node}, not a scan")
    return node
