"""Sizes of one operator seen at several shape sets at once, and their translation back into source text.

An operator is traced at its full size and at smaller shapes. A size is then a vector, one entry per trace:
two axes are the same axis only when they agree in every trace, and `4096` is a literal only when it never
moves. That is how a kernel generated for one shape reads its sizes from the tensors it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from math import comb


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


@dataclass(frozen=True)
class Dividing:
    """A size that is the largest power of two which divides another, or `most` where that is less."""

    size: Extent
    of: Extent
    most: int

    @property
    def holds(self) -> bool:
        pairs = zip(self.of.values, self.size.values, strict=True)
        return all(min(of & -of, self.most) == size for of, size in pairs)

    def text(self, of: str) -> str:
        """The size as source, where `of` is the source of what it divides."""
        whole = f"({of})" if " " in of else of
        return f"min({whole} & -{whole}, {self.most})"


@dataclass(frozen=True)
class Total:
    """A size that is the sum of others, as that of joined tensors is."""

    size: Extent
    parts: tuple[Extent, ...]


Names = tuple[tuple[str, Extent], ...]

Products = tuple[tuple[str, Extent, int], ...]
"""Products of known sizes: source, value, and the first size that may come after."""

_MOST = 25_000  # products of one count


def product(extents: Iterable[Extent], one: Extent) -> Extent:
    total = one
    for extent in extents:
        total = total * extent
    return total


def express(
    target: Extent, known: Mapping[str, Extent], *, most_factors: int = 4, chance: bool = True
) -> str | None:
    """Source text that equals `target` in every trace, built from the named sizes; None if there is none.

    Tried in this order: a product of names, a literal, a literal times a product, a product divided by a
    literal or by a name, a name plus or minus a literal or another name. Earlier names win, so callers list
    what reads best first. Without `chance` quotients and sums are left out: sizes may show them by chance.
    """
    if target.literal in (0, 1):
        return str(target.literal)
    names = tuple((name, extent) for name, extent in known.items() if not extent.is_one())
    inside = tuple((name, size) for name, size in names if _is_factor(size, target))
    products: Products = ()
    for count in _counts(inside, most_factors):
        for text, size, _ in _products(inside, count):
            if size == target:
                return text
        products += _products(inside, count)
    if target.literal is not None:
        return str(target.literal)
    if (found := _multiple(target, products)) or not chance:
        return found
    products = tuple(one for count in _counts(names, most_factors) for one in _products(names, count))
    return _quotient(target, products, known) or _sum(target, products, known)


def _is_factor(size: Extent, target: Extent) -> bool:
    """Whether a size may be a factor of another; no factor of it is zero where it is not."""
    pairs = zip(size.values, target.values, strict=True)
    return all(whole % part == 0 if part else whole == 0 for part, whole in pairs)


def _counts(names: Names, most: int) -> Iterator[int]:
    """How many factors are tried: the state of a network has hundreds of sizes, and products of more than a
    few of them are not looked through."""
    return takewhile(lambda count: count == 1 or comb(len(names), count) <= _MOST, range(1, most + 1))


def _multiple(target: Extent, products: Products) -> str | None:
    for text, size, _ in products:
        if size.divides(target) and (factor := (target // size).literal) is not None:
            return f"-{text}" if factor == -1 else f"{factor} * {text}"
    return None


def _quotient(target: Extent, products: Products, known: Mapping[str, Extent]) -> str | None:
    if target.is_zero():
        return None
    for text, size, _ in products:
        if target.divides(size):
            ratio = size // target
            name = str(ratio.literal) if ratio.literal is not None else _name_of(ratio, known)
            if name is not None:
                return f"{_grouped(text)} // {name}"
    return None


def _name_of(size: Extent, known: Mapping[str, Extent]) -> str | None:
    return next((name for name, other in known.items() if other == size), None)


def _sum(target: Extent, products: Products, known: Mapping[str, Extent]) -> str | None:
    for name, size in known.items():
        change = (target - size).literal
        if change is not None and size.literal is None:
            return f"{name} {'+' if change > 0 else '-'} {abs(change)}"
    for text, size, _ in products:
        other = _name_of(size - target, known)
        if other is not None and size.literal is None:
            return f"{text} - {other}"
    return None


@lru_cache(maxsize=128)
def _products(known: Names, count: int) -> Products:
    """Products of `count` different names, in the order of `known`."""
    if count == 1:
        return tuple((name, size, i + 1) for i, (name, size) in enumerate(known))
    return tuple(
        (f"{text} * {known[i][0]}", size * known[i][1], i + 1)
        for text, size, after in _products(known, count - 1)
        for i in range(after, len(known))
    )


def _grouped(text: str) -> str:
    return f"({ungrouped(text)})" if " " in text else text


def ungrouped(text: str) -> str:
    """Source without brackets around the whole of it."""
    depth, ends = 0, []
    for place, mark in enumerate(text):
        depth += (mark in "([") - (mark in ")]")
        ends += [place] if not depth else []
    return text[1:-1] if text.startswith("(") and ends[0] == len(text) - 1 else text
