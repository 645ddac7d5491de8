"""Sizes of one operator seen at several shape sets at once, and their translation back into source text.

An operator is traced at its full size and at smaller shapes. A size is then a vector, one entry per trace:
two axes are the same axis only when they agree in every trace, and `4096` is a literal only when it never
moves. That is how a kernel generated for one shape reads its sizes from the tensors it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Extent:
    """An integer per trace, full size first."""

    values: tuple[int, ...]

    @property
    def full(self) -> int:
        return self.values[0]

    @property
    def literal(self) -> int | None:
        """The number, when it is the same in every trace."""
        return self.values[0] if len(set(self.values)) == 1 else None

    def is_one(self) -> bool:
        return all(v == 1 for v in self.values)

    def is_zero(self) -> bool:
        return all(v == 0 for v in self.values)

    def divides(self, other: Extent) -> bool:
        return all(a > 0 and b % a == 0 for a, b in zip(self.values, other.values, strict=True))

    def _zip(self, other: Extent | int, f: Callable[[int, int], int]) -> Extent:
        values = (other,) * len(self.values) if isinstance(other, int) else other.values
        return Extent(tuple(f(a, b) for a, b in zip(self.values, values, strict=True)))

    def __add__(self, other: Extent | int) -> Extent:
        return self._zip(other, lambda a, b: a + b)

    def __sub__(self, other: Extent | int) -> Extent:
        return self._zip(other, lambda a, b: a - b)

    def __mul__(self, other: Extent | int) -> Extent:
        return self._zip(other, lambda a, b: a * b)

    def __floordiv__(self, other: Extent | int) -> Extent:
        return self._zip(other, lambda a, b: a // b)

    def like(self, number: int) -> Extent:
        return Extent((number,) * len(self.values))


@dataclass(frozen=True)
class Derived:
    """A size that an operator makes of another: (times x of + add) // over + plus."""

    size: Extent
    of: Extent
    times: int
    add: int
    over: int
    plus: int

    @property
    def holds(self) -> bool:
        """Whether every trace agrees."""
        pairs = zip(self.of.values, self.size.values, strict=True)
        return all((self.times * of + self.add) // self.over + self.plus == size for of, size in pairs)

    def text(self, of: str) -> str:
        """The size as source, where `of` is the source of what it follows from."""
        inner = of if self.times == 1 else f"{self.times} * {of}"
        add = self.add if self.over > 1 else self.add + self.plus
        inner += f" {'+' if add > 0 else '-'} {abs(add)}" if add else ""
        if self.over == 1:
            return inner
        whole = f"({inner}) // {self.over}" if " " in inner else f"{inner} // {self.over}"
        return whole + (f" {'+' if self.plus > 0 else '-'} {abs(self.plus)}" if self.plus else "")


def product(extents: Iterable[Extent], one: Extent) -> Extent:
    total = one
    for extent in extents:
        total = total * extent
    return total


def express(
    target: Extent, known: Mapping[str, Extent], *, most_factors: int = 4, sums: bool = True
) -> str | None:
    """Source text that equals `target` in every trace, built from the named sizes; None if there is none.

    Tried in this order: a product of names, a literal, a literal times a product, a product divided by a
    literal or by a name, a name plus or minus a literal or another name. Earlier names win, so callers list
    what reads best first. Without `sums` the last form is left out: sizes may show it by chance.
    """
    if target.literal in (0, 1):
        return str(target.literal)
    products = list(_products(known, most_factors))
    for text, size in products:
        if size == target:
            return text
    if target.literal is not None:
        return str(target.literal)
    found = _multiple(target, products) or _quotient(target, products, known)
    return found or (_sum(target, products, known) if sums else None)


def _multiple(target: Extent, products: list[tuple[str, Extent]]) -> str | None:
    for text, size in products:
        if size.divides(target) and (factor := (target // size).literal) is not None:
            return f"{factor} * {text}"
    return None


def _quotient(target: Extent, products: list[tuple[str, Extent]], known: Mapping[str, Extent]) -> str | None:
    if target.is_zero():
        return None
    for text, size in products:
        if target.divides(size):
            ratio = size // target
            name = str(ratio.literal) if ratio.literal is not None else _name_of(ratio, known)
            if name is not None:
                return f"{_grouped(text)} // {name}"
    return None


def _name_of(size: Extent, known: Mapping[str, Extent]) -> str | None:
    return next((name for name, other in known.items() if other == size), None)


def _sum(target: Extent, products: list[tuple[str, Extent]], known: Mapping[str, Extent]) -> str | None:
    for name, size in known.items():
        change = (target - size).literal
        if change is not None and size.literal is None:
            return f"{name} {'+' if change > 0 else '-'} {abs(change)}"
    for text, size in products:
        other = _name_of(size - target, known)
        if other is not None and size.literal is None:
            return f"{text} - {other}"
    return None


def _products(known: Mapping[str, Extent], most_factors: int) -> Iterable[tuple[str, Extent]]:
    names = [name for name, extent in known.items() if not extent.is_one()]
    for count in range(1, min(most_factors, len(names)) + 1):
        for chosen in combinations(names, count):
            sizes = [known[name] for name in chosen]
            yield " * ".join(chosen), product(sizes[1:], sizes[0])


def _grouped(text: str) -> str:
    return f"({text})" if " " in text else text
