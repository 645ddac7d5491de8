"""Index variables of a kernel and the address of every access in terms of them."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from ..extent import Extent, product
from ..loops import LoopAxis, Loops
from ..math import HELPERS
from ..space import Affine, Axis
from .kernel import Kernel
from .names import LOCALS, RESERVED
from .text import joined, term


@dataclass
class Group:
    """Loop axes walked by one flat index variable; `mask` names its bounds check, "" if it needs none.

    A tile apart from those of a loop has a `prefix` before the names of its variables.
    """

    name: str
    axes: tuple[LoopAxis, ...]
    mask: str
    size_prefix: str
    decoded: dict[int, str] = field(default_factory=dict)
    nested: bool = False
    prefix: str = ""

    @property
    def variable(self) -> str:
        return self.prefix + self.name

    @property
    def leaves(self) -> frozenset[Axis]:
        return frozenset(leaf for axis in self.axes for leaf in axis.leaves)

    @property
    def tile_leaves(self) -> frozenset[Axis]:
        """What the vector of lanes runs over: the inner axis of a nest, all axes otherwise."""
        return frozenset(self.axes[-1].leaves) if self.nested else self.leaves


_OWN_CONSTANTS = frozenset(
    {
        "BLOCK",
        "ROWS",
        "DEPTH",
        "PARTS",
        "UNIT",
        "VECTOR",
        "BLOCK_M",
        "BLOCK_N",
        "BLOCK_K",
        "BLOCK_E",
        "GROUP",
        "HELD_M",
        "HELD_N",
        "SETS_M",
        "SETS_N",
    }
)


class Indexer:
    """Turns an affine index into source, decoding flat variables into axes only where an access needs it."""

    def __init__(
        self,
        kernel: Kernel,
        loops: Loops,
        groups: list[Group],
        vocabulary: Mapping[str, Extent],
        tensors: Iterable[str],
    ) -> None:
        """`vocabulary` holds the op file's words for sizes; places are not called like `tensors`."""
        self.kernel, self.loops, self.groups, self._vocabulary = kernel, loops, groups, vocabulary
        self._avoid = {*tensors, *LOCALS, *HELPERS, *RESERVED}
        self.places: set[str] = set()
        self._space = loops.region.builder.space

    def resolved(self, affine: Affine) -> Affine:
        """The same index over leaf axes."""
        return self._space.resolve(affine)

    def bounded(self, *affines: Affine) -> list[Group]:
        """Groups whose bounds the indices must respect; the outer loop of a nest never leaves them."""
        return self.along({a for affine in affines for a, _ in self._space.resolve(affine).terms})

    def along(self, axes: Set[Axis]) -> list[Group]:
        """Groups that walk any of these leaf axes."""
        return [g for g in self.groups if g.tile_leaves & axes]

    def moves(self, affine: Affine, group: Group) -> bool:
        """Whether the index changes along a group."""
        return bool(group.leaves & {a for a, _ in self._space.resolve(affine).terms})

    def text(self, affine: Affine, unrolled: Mapping[Axis, int]) -> str:
        """The whole index as one expression."""
        moving, constant = self.parts(affine, unrolled)
        return joined([t for t in (moving, constant) if t])

    def parts(self, affine: Affine, unrolled: Mapping[Axis, int], *, fixed: bool = False) -> tuple[str, str]:
        """(what moves with the index variables, the fixed offset), "" for none.

        `fixed` coefficients are numbers wherever no shape changes them, whatever has the same size.
        """
        affine = self._space.resolve(affine)
        constant = affine.constant
        for axis, coefficient in affine.terms:
            if axis in unrolled:
                constant = constant + coefficient * unrolled[axis]
        terms = [t for group in self.groups for t in self._terms(group, affine, fixed=fixed)]
        return joined(terms) if terms else "", "" if constant.is_zero() else self.kernel.scalar(
            constant, "offset"
        )

    def walks(self, group: Group, affine: Affine) -> list[tuple[str, Extent, Extent]]:
        """(index variable, stride, size) of each direction in which an index moves along a group: one where
        the whole group is walked as it lies in memory, else one an axis."""
        affine = self._space.resolve(affine)
        steps = [self.loops.coefficient(affine, axis) for axis in group.axes]
        if not any(not step.is_zero() for step in steps):
            return []
        if self._is_flat(group.axes, steps):
            size = product((axis.size for axis in group.axes), self.loops.one)
            return [(group.variable, steps[-1], size)]
        return [
            (self._decode(group, i), step, group.axes[i].size)
            for i, step in enumerate(steps)
            if not step.is_zero()
        ]

    def decode(self, group: Group, affine: Affine) -> None:
        """Write the lines that split a flat variable into what the index needs of it."""
        self._terms(group, self._space.resolve(affine))

    def _terms(self, group: Group, affine: Affine, *, fixed: bool = False) -> list[str]:
        coefficients = [self.loops.coefficient(affine, axis) for axis in group.axes]
        if all(c.is_zero() for c in coefficients):
            return []
        if not group.nested and self._is_flat(group.axes, coefficients):
            return [term(group.variable, self._stride(coefficients[-1], group, fixed))]
        return [
            term(self._decode(group, i), self._stride(c, group, fixed))
            for i, c in enumerate(coefficients)
            if not c.is_zero()
        ]

    def _stride(self, coefficient: Extent, group: Group, fixed: bool) -> str:
        if fixed and coefficient.literal is not None:
            return str(coefficient.literal)
        return self.kernel.scalar(coefficient, f"{group.name}_stride")

    def _is_flat(self, axes: tuple[LoopAxis, ...], coefficients: list[Extent]) -> bool:
        step = coefficients[-1]
        for axis, coefficient in zip(reversed(axes), reversed(coefficients), strict=True):
            if coefficient != step:
                return False
            step = step * axis.size
        return True

    def _decode(self, group: Group, position: int) -> str:
        """The position on one axis, from the flat variable by division and remainder."""
        if position in group.decoded:
            return group.decoded[position]
        inner = product((a.size for a in group.axes[position + 1 :]), self.loops.one)
        name = self._place_name(group, position)
        text = group.variable
        if not inner.is_one():
            text += f" // {self._size(group, position + 1)}"
        if position:
            text = f"{text} % {self._size(group, position, position + 1)}"
        self.kernel.line(f"{name} = {text}")
        group.decoded[position] = name
        return name

    def _size(self, group: Group, start: int, end: int | None = None) -> str:
        places = range(start, len(group.axes) if end is None else end)
        names = [self.kernel.constant(self._size_name(group, i), group.axes[i].size) for i in places]
        return names[0] if len(names) == 1 else f"({' * '.join(names)})"

    def _size_name(self, group: Group, position: int) -> str:
        """`TOKENS` or `HALF_HEAD_DIM`, where the op file has one name for such a size; else by position."""
        word = self._authors_word(group.axes[position].size)
        if word:
            return word.upper()
        place = "INNER" if position == len(group.axes) - 1 else f"AXIS{position}"
        return f"{place}_{group.size_prefix or 'SIZE'}"

    def _authors_word(self, size: Extent) -> str:
        for prefix, whole in (("", size), ("half_", size * 2)):
            named = [name for name, known in self._vocabulary.items() if known == whole]
            if len(named) == 1 and named[0].upper() not in _OWN_CONSTANTS:
                return prefix + named[0].lower()
        return ""

    def _place_name(self, group: Group, position: int) -> str:
        """`token` of `TOKENS`, else whether it is the outermost or the innermost place."""
        word = self._authors_word(group.axes[position].size)
        if len(word) > 1 and word.endswith("s") and not word.endswith(("ss", "es")):
            name = word[:-1]
        else:
            place = {0: "outer", len(group.axes) - 1: "inner"}.get(position, f"axis{position}")
            name = "_".join(p for p in (place, group.size_prefix.lower().rstrip("s")) if p)
        name = group.prefix + name
        unique, count = name, 1
        while unique in self._avoid or unique in self.places or keyword.iskeyword(unique):
            count += 1
            unique = f"{name}_{count}"
        self.places.add(unique)
        return unique
