"""What a candidate's text tells of the calls that it should be tried by: loops, tiles, casts, kernels."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_TILES = tuple(128 << more for more in range(6))
"""The longest that anybody takes at once, where there is a loop over tiles."""

_ROWS = frozenset(1 << power for power in range(9, 16))

_SIZES = ("shape", "size", "numel")
_SHORT = frozenset(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16))
_PROMISES = frozenset(("multiple_of", "max_contiguous", "max_constancy"))
_UNITS = "multi_processor_count"
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CONDITIONAL = (ast.If, ast.IfExp, ast.While)


@dataclass(frozen=True)
class Hints:
    """`longest_tile` is the longest of the tiles that a file with loops names, at least the usual one, in
    elements; 0 without loops. `longest_row` is the largest power of two that any file names, up to where a
    block ends: rows beyond it may be cut. `paths`: it may go another way for other sizes, since it has
    several kernels or asks for sizes. `short_integers`: it names integers of 8 or 16 bits, `of_16_bits` the
    latter, and `bfloat16` that type. `promises` are made to the compiler; `asks_addresses`: for alignment,
    say; `units` of a card are asked for; `asks_atomics`: what an atomic found is made use of; `moduli`: what
    a remainder that is compared is taken by, the least and the largest; `factors`: what it may multiply a
    hash by; `refuses`: it says no on purpose; a mistake raises without; `keeps`: something outlives
    a call."""

    longest_tile: int
    longest_row: int
    paths: bool
    short_integers: bool
    of_16_bits: bool
    bfloat16: bool
    promises: bool
    asks_addresses: bool
    units: bool
    asks_atomics: bool
    moduli: tuple[int, ...]
    factors: tuple[int, ...]
    refuses: bool
    keeps: bool


@lru_cache(maxsize=8)
def hints(source: str) -> Hints:
    """Of a candidate's file; raises SyntaxError where it is none."""
    tree = list(ast.walk(ast.parse(source)))
    names = frozenset(_names(tree))
    asks = any(_asks_sizes(node.test) for node in tree if isinstance(node, _CONDITIONAL))
    return Hints(
        longest_tile=_longest_tile(tree),
        longest_row=max((size for node in tree if (size := _number(node)) in _ROWS), default=0),
        paths=asks or sum(map(_is_kernel, tree)) > 1,
        short_integers=not names.isdisjoint(_SHORT),
        of_16_bits=not names.isdisjoint(("int16", "uint16")),
        bfloat16="bfloat16" in names,
        promises=not names.isdisjoint(_PROMISES),
        asks_addresses="data_ptr" in names,
        units=_UNITS in names,
        asks_atomics=_asks_atomics(tree),
        moduli=_moduli(tree),
        factors=_factors(tree),
        refuses=any(isinstance(node, ast.Raise | ast.Assert) for node in tree),
        keeps=any(map(_keeps, tree)),
    )


def _names(tree: list[ast.AST]) -> Iterator[str]:
    """Names and attributes, and texts, by which `getattr` may ask."""
    for node in tree:
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _is_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(mark).partition("(")[0].endswith("jit") for mark in node.decorator_list
    )


def _keeps(node: ast.AST) -> bool:
    """Whether a function other than a constructor assigns to what is no name of its own."""
    if not isinstance(node, ast.FunctionDef) or node.name == "__init__":
        return False
    stores = (one for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Subscript | ast.Global))
    return any(isinstance(one, ast.Global) or isinstance(one.ctx, ast.Store) for one in stores)


def _asks_atomics(tree: list[ast.AST]) -> bool:
    """Whether an atomic stands anywhere but as a statement of its own."""
    alone = {id(node.value) for node in tree if isinstance(node, ast.Expr)}
    calls = (node for node in tree if isinstance(node, ast.Call) and id(node) not in alone)
    return any("atomic_" in ast.unparse(node.func) for node in calls)


def _moduli(tree: list[ast.AST]) -> tuple[int, ...]:
    """Of remainders that are compared, or asked whether there is one. What has a name may be any tile: as
    long as most are, or as the longest of those that stand there."""
    asked: list[ast.expr] = [node for node in tree if isinstance(node, ast.Compare)]
    asked += [node.operand for node in tree if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)]
    rest = [
        part.right
        for node in asked
        for part in ast.walk(node)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)
    ]
    found = {size for one in rest if _LEAST_MODULUS <= (size := _number(one)) <= _LARGEST_MODULUS}
    if not all(map(_number, rest)):
        found |= {_USUAL_TILE} | {size for node in tree if (size := _number(node)) in _LONG_TILES}
    return (min(found), max(found)) if len(found) > 1 else tuple(found)


_LEAST_MODULUS, _LARGEST_MODULUS = 4, 256
_USUAL_TILE, _LONG_TILES = 64, (128, 256)


def _factors(tree: list[ast.AST]) -> tuple[int, ...]:
    """Odd numbers, of either sign, as they are in 64 bits, ends of a type apart: little else is odd. Few of
    them, the largest first."""
    negated = {
        id(node.operand) for node in tree if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    }
    found = {
        -node.value if id(node) in negated else node.value
        for node in tree
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value % 2
        if node.value + 1 not in _ENDS
    }
    wrapped = {(one + _HALF) % (2 * _HALF) - _HALF for one in found if _LEAST_FACTOR <= abs(one) < 2 * _HALF}
    return tuple(sorted(wrapped, key=abs, reverse=True)[:_MOST_FACTORS])


_ENDS = frozenset(1 << bits for bits in (8, 15, 16, 31, 32, 63, 64))
_LEAST_FACTOR, _HALF, _MOST_FACTORS = 5, 1 << 63, 4
"""Below it windows are odd; half of what 64 bits hold; and as many as rows of few calls have room for."""


def _longest_tile(tree: list[ast.AST]) -> int:
    if not any(isinstance(node, ast.For | ast.While) for node in tree):
        return 0
    return max([_TILES[0], *(size for node in tree if (size := _number(node)) in _TILES)])


def _number(node: ast.AST) -> int:
    """What stands there in whole numbers, `1 << 10` and `4 * 256` too; 0 where none does."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else 0
    if not isinstance(node, ast.BinOp):
        return 0
    left, right = _number(node.left), _number(node.right)
    if isinstance(node.op, ast.Mult):
        return left * right
    small = 0 < right < max(_ROWS).bit_length()
    if isinstance(node.op, ast.LShift):
        return left << right if small else 0
    return left**right if isinstance(node.op, ast.Pow) and small and left == 2 else 0


def _asks_sizes(test: ast.expr) -> bool:
    """Whether a condition names a size, or tells how large something is beside a number."""
    return any(
        any(part in name for name in _names([node]) for part in _SIZES)
        or (
            isinstance(node, ast.Compare)
            and any(isinstance(one, _ORDER) for one in node.ops)
            and any(map(_number, [node.left, *node.comparators]))
        )
        for node in ast.walk(test)
    )
