"""What one fused region computes: a small expression graph over the axes of its index space.

Nodes are hash-consed by the `Builder`, so equal sub-expressions are one node and are computed once.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from .constants import converted, literal
from .expr import (
    Apply,
    Attend,
    Choose,
    Const,
    Contract,
    Gathered,
    Load,
    Node,
    Position,
    Reduce,
    Scan,
    SizeOf,
    Tap,
    indices,
)
from .space import Affine, Axis, CannotFuseError, Space


@dataclass
class Builder:
    """Nodes of one region by number, with the space their indices live in."""

    space: Space
    nodes: list[Node] = field(default_factory=list)
    hints: dict[int, str] = field(default_factory=dict)
    _known: dict[Node, int] = field(default_factory=dict)
    _free: dict[int, frozenset[Axis]] = field(default_factory=dict)
    _free_version: int = 0

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
        """A function of values; arithmetic on literals is done here."""
        values = [node.value for a in args if isinstance(node := self.nodes[a], Const)]
        if function in _FOLDED and len(values) == len(args):
            return self.number(_FOLDED[function](*values), dtype)
        if function == "and" and any(v is True for v in values):
            return next(a for a in args if not isinstance(self.nodes[a], Const))
        return self.add(Apply(function, args, dtype), hint)

    def number(self, value: float | int | bool, dtype: str) -> int:
        value = converted(value, dtype)
        return self.add(Const(literal(value), dtype, value))

    def cast(self, number: int, dtype: str) -> int:
        """The value in another type; literals and sizes change theirs without an instruction."""
        if self.dtype(number) == dtype:
            return number
        node, hint = self.nodes[number], self.hints.get(number, "")
        if isinstance(node, Const):
            return self.add(
                Const(literal(converted(node.value, dtype)), dtype, converted(node.value, dtype)), hint
            )
        if isinstance(node, SizeOf) and dtype != "int1":
            return self.add(SizeOf(node.size, dtype), hint)
        if dtype == "int1":
            zero = self.number(0, self.dtype(number))
            return self.apply("ne", number, zero, dtype="int1", hint=hint)
        return self.apply("cast", number, dtype=dtype, hint=hint)

    def substitute(self, number: int, moves: Mapping[Axis, Affine]) -> int:
        """The expression at another index; reductions keep their row, so they refuse to move."""
        moved = frozenset(moves)
        new: dict[int, int] = {}
        for n in self.walk([number], lambda n: bool(self.free_axes(n) & moved)):
            new[n] = self._moved(n, new, moves) if self.free_axes(n) & moved else n
        return new[number]

    def _moved(self, number: int, new: Mapping[int, int], moves: Mapping[Axis, Affine]) -> int:
        node = self.nodes[number]
        if isinstance(node, Load):
            taps = tuple(replace(t, place=self.space.substitute(t.place, moves)) for t in node.taps)
            found = tuple(replace(g, place=new.get(g.place, g.place)) for g in node.gathered)
            index = self.space.substitute(node.index, moves)
            return self.add(replace(node, index=index, taps=taps, gathered=found))
        if isinstance(node, Position):
            return self.add(Position(self.space.substitute(node.index, moves), node.dtype))
        if isinstance(node, Apply):
            return self.add(Apply(node.function, tuple(new[a] for a in node.args), node.dtype))
        if isinstance(node, Choose):
            return self._moved_choice(node, new, moves)
        if isinstance(node, Scan):
            return self._moved_scan(node, new, moves)
        raise CannotFuseError("a reduced value is read at another row than its own")

    def _moved_scan(self, node: Scan, new: Mapping[int, int], moves: Mapping[Axis, Affine]) -> int:
        """A running sum at other rows, or walked from its other end."""
        axes = self.space.leaves(node.axes)
        if not set(axes) & set(moves):
            return self.add(replace(node, arg=new[node.arg]))
        turned = _turned(moves[axes[0]]) if len(axes) == 1 and axes[0] in moves else None
        if turned is None or moves[axes[0]].constant != self.space.sizes[axes[0]] - 1:
            raise CannotFuseError("a part of a running sum is needed by itself")
        return self.add(replace(node, arg=new[node.arg], axes=(turned,), reverse=not node.reverse))

    def tapped(self, number: int, taps: Mapping[Axis, Tap]) -> int:
        """The expression with leaf axes read at other places; a tap takes its stride from the tensor."""
        moved, new = frozenset(taps), dict[int, int]()

        def goes_into(n: int) -> bool:
            return bool(self.free_axes(n) & moved) and not isinstance(self.nodes[n], Contract)

        for n in self.walk([number], goes_into):
            node = self.nodes[n]
            if not self.free_axes(n) & moved:
                new[n] = n
            elif isinstance(node, Load):
                new[n] = self._tapped_load(node, taps)
            elif isinstance(node, Apply):
                new[n] = self.add(replace(node, args=tuple(new[a] for a in node.args)))
            elif isinstance(node, Position):
                moves = {axis: tap.place for axis, tap in taps.items() if tap.step == 1}
                if len(moves) < len(moved & self.free_axes(n)):
                    raise CannotFuseError("places of a window with gaps are needed as numbers")
                new[n] = self.add(Position(self.space.substitute(node.index, moves), node.dtype))
            elif isinstance(node, Scan):
                new[n] = self._tapped_scan(node, new[node.arg], taps)
            elif isinstance(node, Contract) and self._are_apart(taps):
                moves = {axis: tap.place for axis, tap in taps.items()}
                left, right = (self.substitute(factor, moves) for factor in (node.left, node.right))
                new[n] = self.add(replace(node, left=left, right=right))
            elif isinstance(node, Reduce) and self._are_apart(taps):
                new[n] = self.add(replace(node, arg=new[node.arg]))
            else:
                raise CannotFuseError("a window runs over what this kernel would have to compute first")
        return new[number]

    def _are_apart(self, taps: Mapping[Axis, Tap]) -> bool:
        """Whether windows neither overlap nor leave their tensor, so that they need each element once."""
        for tap in taps.values():
            place = self.space.resolve(tap.place)
            reach = seen = self.space.one
            for axis, step in place.terms:
                reach = reach + (self.space.sizes[axis] - 1) * step
                seen = seen * self.space.sizes[axis]
            ends = zip(place.constant.values, reach.values, seen.values, tap.size.values, strict=True)
            if tap.step > 1 or tap.over or any(c or max(r, s) > size for c, r, s, size in ends):
                return False
        return True

    def _tapped_load(self, node: Load, taps: Mapping[Axis, Tap]) -> int:
        index = self.space.resolve(node.index)
        if node.gathered or any(a in taps for t in node.taps for a, _ in self.space.resolve(t.place).terms):
            raise CannotFuseError("a window runs over a window, or over what is gathered")
        places = tuple(replace(taps[a], stride=c) for a, c in index.terms if a in taps)
        rest = tuple(term for term in index.terms if term[0] not in taps)
        return self.add(replace(node, index=Affine(rest, index.constant), taps=(*node.taps, *places)))

    def gather(self, number: int, axis: Axis, place: int) -> int:
        """The expression with a leaf axis read at a computed place."""
        new = dict[int, int]()
        for n in self.walk([number], lambda n: axis in self.free_axes(n)):
            node = self.nodes[n]
            if axis not in self.free_axes(n):
                new[n] = n
            elif isinstance(node, Load) and not node.taps and not self._is_placed_by(node, axis):
                index = self.space.resolve(node.index)
                found = Gathered(place, self.space.sizes[axis], dict(index.terms)[axis])
                rest = tuple(term for term in index.terms if term[0] != axis)
                new[n] = self.add(
                    replace(node, index=Affine(rest, index.constant), gathered=(*node.gathered, found))
                )
            elif isinstance(node, Apply):
                new[n] = self.add(replace(node, args=tuple(new[a] for a in node.args)))
            else:
                raise CannotFuseError("what is gathered would have to be computed first")
        return new[number]

    def _is_placed_by(self, node: Load, axis: Axis) -> bool:
        """Whether the places at which it is read move along the axis."""
        return any(axis in self.free_axes(gathered.place) for gathered in node.gathered)

    def _tapped_scan(self, node: Scan, arg: int, taps: Mapping[Axis, Tap]) -> int:
        """A running sum read some places further on: of elements as much further on, where there are any.

        Before the first of them it is neutral; behind the last it stays, and nobody may read it there.
        """
        axes = self.space.leaves(node.axes)
        if not set(axes) & set(taps):
            return self.add(replace(node, arg=arg))
        tap = taps[axes[0]]
        if len(axes) > 1 or len(tap.place.terms) > 1 or not tap.place.terms[0][1].is_one():
            raise CannotFuseError("a running sum is read through a window")
        inside = self.within(tap)
        nothing = self.number(0 if node.kind == "sum" else 1, node.dtype)
        kept = self.apply("where", inside, arg, nothing, dtype=node.dtype)
        return self.add(replace(node, arg=kept, axes=(tap.place.terms[0][0],)))

    def within(self, tap: Tap) -> int:
        """Whether a tap lies inside of its tensor."""
        place = self.add(Position(tap.place, "int64"))
        low = self.apply("ge", place, self.number(0, "int64"), dtype="int1")
        high = self.apply("lt", place, self.add(SizeOf(tap.size, "int64")), dtype="int1")
        return self.apply("and", low, high, dtype="int1")

    def _moved_choice(self, node: Choose, new: Mapping[int, int], moves: Mapping[Axis, Affine]) -> int:
        move = moves.get(self.space.leaves((node.axis,))[0])
        if move is not None and not move.terms and (position := move.constant.literal) is not None:
            return new[node.options[position]]
        if move is not None:
            raise CannotFuseError("a concatenation is sliced across its parts")
        return self.add(Choose(node.axis, tuple(new[o] for o in node.options), node.dtype))

    def children(self, number: int) -> tuple[int, ...]:
        node = self.nodes[number]
        if isinstance(node, Load):
            return tuple(g.place for g in node.gathered)
        if isinstance(node, Apply):
            return node.args
        if isinstance(node, Reduce | Scan):
            return (node.arg,)
        if isinstance(node, Contract):
            return (node.left, node.right)
        if isinstance(node, Attend):
            return (node.scores, node.values)
        if isinstance(node, Choose):
            return node.options
        return ()

    def free_axes(self, number: int) -> frozenset[Axis]:
        """Leaf axes the value varies over (reduced ones excluded)."""
        if self._free_version != self.space.version:
            self._free, self._free_version = {}, self.space.version
        if number not in self._free:
            for below in self.walk([number], lambda n: n not in self._free):
                self._free.setdefault(below, self._find_free_axes(below))
        return self._free[number]

    def _find_free_axes(self, number: int) -> frozenset[Axis]:
        node = self.nodes[number]
        own: frozenset[Axis] = frozenset()
        if isinstance(node, Load | Position):
            own = frozenset(a for index in indices(node) for a, _ in self.space.resolve(index).terms)
        elif isinstance(node, Choose):
            own = frozenset(self.space.leaves((node.axis,)))
        elif isinstance(node, Scan):
            own = frozenset(self.space.leaves(node.axes))
        for child in self.children(number):
            own |= self._free[child]
        if isinstance(node, Reduce | Contract | Attend):
            own -= frozenset(self.space.leaves(node.axes))
        return own

    def walk(self, roots: Iterable[int], into: Callable[[int], bool] = lambda _: True) -> list[int]:
        """Every node under the roots once, operands before users; nothing below those that are not gone into.

        Nodes are numbered as they are made, so operands have lower numbers than their users."""
        found: set[int] = set()
        pending = list(roots)
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending += self.children(number) if into(number) else ()
        return sorted(found)


def _turned(move: Affine) -> Axis | None:
    """The axis that a place is counted back along; None for any other place."""
    if len(move.terms) == 1 and move.terms[0][1].literal == -1:
        return move.terms[0][0]
    return None


_FOLDED: Mapping[str, Callable[..., float | int | bool]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
    "and": operator.and_, "or": operator.or_, "not": operator.not_, 
}  # fmt: skip
