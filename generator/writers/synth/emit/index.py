"""Index variables of a kernel and the address of every access in terms of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..extent import Extent, product
from ..loops import LoopAxis, Loops
from ..space import Affine, Axis
from .kernel import Kernel
from .text import joined, term


@dataclass
class Group:
    """Loop axes walked by one flat index variable; `mask` names its bounds check, "" if it needs none."""

    variable: str
    axes: tuple[LoopAxis, ...]
    mask: str
    size_prefix: str
    decoded: dict[int, str] = field(default_factory=dict)
    nested: bool = False

    @property
    def leaves(self) -> frozenset[Axis]:
        return frozenset(leaf for axis in self.axes for leaf in axis.leaves)

    @property
    def tile_leaves(self) -> frozenset[Axis]:
        """What the vector of lanes runs over: the inner axis of a nest, all axes otherwise."""
        return frozenset(self.axes[-1].leaves) if self.nested else self.leaves


class Indexer:
    """Turns an affine index into source, decoding flat variables into axes only where an access needs it."""

    def __init__(self, kernel: Kernel, loops: Loops, groups: list[Group]) -> None:
        self.kernel, self.loops, self.groups = kernel, loops, groups
        self._space = loops.region.builder.space

    def bounded(self, affine: Affine) -> list[Group]:
        """Groups whose bounds the index must respect; the outer loop of a nest never leaves them."""
        axes = {a for a, _ in self._space.resolve(affine).terms}
        return [g for g in self.groups if g.tile_leaves & axes]

    def moves(self, affine: Affine, group: Group) -> bool:
        """Whether the index changes along a group."""
        return bool(group.leaves & {a for a, _ in self._space.resolve(affine).terms})

    def text(self, affine: Affine, unrolled: Mapping[Axis, int]) -> str:
        """The whole index as one expression."""
        moving, constant = self.parts(affine, unrolled)
        return joined([t for t in (moving, constant) if t])

    def parts(self, affine: Affine, unrolled: Mapping[Axis, int]) -> tuple[str, str]:
        """(what moves with the index variables, the fixed offset), "" for none."""
        affine = self._space.resolve(affine)
        constant = affine.constant
        for axis, coefficient in affine.terms:
            if axis in unrolled:
                constant = constant + coefficient * unrolled[axis]
        terms = [t for group in self.groups for t in self._terms(group, affine)]
        return " + ".join(terms), "" if constant.is_zero() else self.kernel.scalar(constant, "offset")

    def decode(self, group: Group, affine: Affine) -> None:
        """Write the lines that split a flat variable into what the index needs of it."""
        self._terms(group, self._space.resolve(affine))

    def _terms(self, group: Group, affine: Affine) -> list[str]:
        coefficients = [self.loops.coefficient(affine, axis) for axis in group.axes]
        if all(c.is_zero() for c in coefficients):
            return []
        if not group.nested and self._is_flat(group.axes, coefficients):
            return [term(group.variable, self._stride(coefficients[-1], group))]
        return [
            term(self._decode(group, i), self._stride(c, group))
            for i, c in enumerate(coefficients)
            if not c.is_zero()
        ]

    def _stride(self, coefficient: Extent, group: Group) -> str:
        return self.kernel.scalar(coefficient, f"{group.variable}_stride")

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
        name = f"{group.size_prefix.lower()}{position}"
        text = group.variable
        if not inner.is_one():
            text += f" // {self._size(group, position + 1)}"
        if position:
            own = self.kernel.constant(f"{group.size_prefix}{position}_SIZE", group.axes[position].size)
            text = f"{text} % {own}"
        self.kernel.line(f"{name} = {text}")
        group.decoded[position] = name
        return name

    def _size(self, group: Group, start: int) -> str:
        names = [
            self.kernel.constant(f"{group.size_prefix}{i}_SIZE", group.axes[i].size)
            for i in range(start, len(group.axes))
        ]
        return names[0] if len(names) == 1 else f"({' * '.join(names)})"
