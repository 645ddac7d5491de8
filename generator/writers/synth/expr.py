"""What one fused region computes: a small expression graph over the axes of its index space.

Nodes are hash-consed by the `Builder`, so equal sub-expressions are one node and are computed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .extent import Extent
from .space import Affine, Axis, CannotFuse, Space


@dataclass(frozen=True)
class Load:
    """One element of a tensor argument; `buffer` is the graph name of the tensor."""

    buffer: str
    index: Affine
    dtype: str


@dataclass(frozen=True)
class Const:
    """A literal; `text` is Triton source."""

    text: str
    dtype: str


@dataclass(frozen=True)
class SizeOf:
    """A number that follows from shapes, such as the element count behind a mean."""

    size: Extent
    dtype: str


@dataclass(frozen=True)
class Position:
    """The value of an index expression, as torch.arange gives."""

    index: Affine
    dtype: str


@dataclass(frozen=True)
class Apply:
    """A pointwise function named in `math.FUNCTIONS`; `hint` names the value in the generated source."""

    function: str
    args: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Reduce:
    """A reduction of kind sum, prod, max, min, any, all, argmax or argmin over `axes`."""

    kind: str
    arg: int
    axes: tuple[Axis, ...]
    dtype: str


@dataclass(frozen=True)
class Choose:
    """One of several values by the position on an unrolled axis (a concatenation of equal parts)."""

    axis: Axis
    options: tuple[int, ...]
    dtype: str


Node = Load | Const | SizeOf | Position | Apply | Reduce | Choose


@dataclass
class Builder:
    """Nodes of one region by number, with the space their indices live in."""

    space: Space
    nodes: list[Node] = field(default_factory=list)
    hints: dict[int, str] = field(default_factory=dict)
    _known: dict[Node, int] = field(default_factory=dict)

    def add(self, node: Node, hint: str = "") -> int:
        number = self._known.get(node)
        if number is None:
            number = self._known[node] = len(self.nodes)
            self.nodes.append(node)
        if hint:
            self.hints.setdefault(number, hint)
        return number

    def dtype(self, number: int) -> str:
        return self.nodes[number].dtype

    def apply(self, function: str, *args: int, dtype: str = "fp32", hint: str = "") -> int:
        return self.add(Apply(function, args, dtype), hint)

    def number(self, value: float | int | bool, dtype: str) -> int:
        return self.add(Const(literal(value), dtype))

    def cast(self, number: int, dtype: str) -> int:
        if self.dtype(number) == dtype:
            return number
        node = self.nodes[number]
        if isinstance(node, Const) and dtype == "fp32":
            return self.add(Const(_as_float(node.text), dtype), self.hints.get(number, ""))
        return self.apply("cast", number, dtype=dtype, hint=self.hints.get(number, ""))

    def substitute(self, number: int, moves: Mapping[Axis, Affine]) -> int:
        """The expression at another index; reductions keep their row, so they refuse to move."""
        node = self.nodes[number]
        if isinstance(node, Load):
            return self.add(Load(node.buffer, self.space.substitute(node.index, moves), node.dtype))
        if isinstance(node, Position):
            return self.add(Position(self.space.substitute(node.index, moves), node.dtype))
        if isinstance(node, Apply):
            args = tuple(self.substitute(a, moves) for a in node.args)
            return self.add(Apply(node.function, args, node.dtype))
        if isinstance(node, Choose):
            return self._substitute_choice(node, moves)
        if isinstance(node, Reduce) and self.free_axes(number) & set(moves):
            raise CannotFuse("a reduced value is read at another row than its own")
        return number

    def _substitute_choice(self, node: Choose, moves: Mapping[Axis, Affine]) -> int:
        move = moves.get(self.space.leaves((node.axis,))[0])
        if move is not None and not move.terms and (position := move.constant.literal) is not None:
            return self.substitute(node.options[position], moves)
        if move is not None:
            raise CannotFuse("a concatenation is sliced across its parts")
        return self.add(Choose(node.axis, tuple(self.substitute(o, moves) for o in node.options), node.dtype))

    def children(self, number: int) -> tuple[int, ...]:
        node = self.nodes[number]
        if isinstance(node, Apply):
            return node.args
        if isinstance(node, Reduce):
            return (node.arg,)
        if isinstance(node, Choose):
            return node.options
        return ()

    def free_axes(self, number: int) -> frozenset[Axis]:
        """Leaf axes the value varies over (reduced ones excluded)."""
        node = self.nodes[number]
        own: frozenset[Axis] = frozenset()
        if isinstance(node, Load | Position):
            own = frozenset(a for a, _ in self.space.resolve(node.index).terms)
        elif isinstance(node, Choose):
            own = frozenset(self.space.leaves((node.axis,)))
        for child in self.children(number):
            own |= self.free_axes(child)
        if isinstance(node, Reduce):
            own -= frozenset(self.space.leaves(node.axes))
        return own

    def walk(self, roots: list[int]) -> Iterator[int]:
        """Every node under the roots once, operands before users."""
        seen: set[int] = set()

        def visit(number: int) -> Iterator[int]:
            if number in seen:
                return
            seen.add(number)
            for child in self.children(number):
                yield from visit(child)
            yield number

        for root in roots:
            yield from visit(root)


def literal(value: float | int | bool) -> str:
    if isinstance(value, float):
        if value != value:
            return 'float("nan")'
        if value in (float("inf"), float("-inf")):
            return 'float("inf")' if value > 0 else '-float("inf")'
    return repr(value)


def _as_float(text: str) -> str:
    if text in ("True", "False"):
        return "1.0" if text == "True" else "0.0"
    return text + ".0" if text.lstrip("-").isdigit() else text
