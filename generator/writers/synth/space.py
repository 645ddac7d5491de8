"""The index space of one fused region: axes that split, merge and broadcast as views and operators demand.

Every tensor dimension is a row-major list of axes. Reshapes regroup axes and split them where the groups
cross; element-wise operators unify the axes of their operands. What cannot be expressed this way raises
`CannotFuseError`, and the partition starts a new region there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .... import KbgenError
from .extent import Extent, product

Axis = int
Dims = tuple[tuple[Axis, ...], ...]


class CannotFuseError(KbgenError):
    """Two operators need different index spaces; the sentence says which and why."""


@dataclass(frozen=True)
class Affine:
    """constant + sum of coefficient x axis: an index into a flat buffer, in elements."""

    terms: tuple[tuple[Axis, Extent], ...]
    constant: Extent


@dataclass
class Space:
    """Axes of a region with union-find over equal ones; `version` counts changes to which axes are leaves."""

    one: Extent
    sizes: list[Extent] = field(default_factory=list)
    version: int = 0
    _same_as: dict[Axis, Axis] = field(default_factory=dict)
    _split: dict[Axis, tuple[Axis, Axis]] = field(default_factory=dict)
    _resolved: dict[Affine, Affine] = field(default_factory=dict)
    _resolved_version: int = 0

    def fresh(self, size: Extent) -> Axis:
        self.sizes.append(size)
        return len(self.sizes) - 1

    def dimension(self, size: Extent) -> tuple[Axis, ...]:
        return () if size.is_one() else (self.fresh(size),)

    def leaves(self, axes: Sequence[Axis]) -> tuple[Axis, ...]:
        """The finest axes that `axes` stand for now, outermost first."""
        found: list[Axis] = []
        for axis in axes:
            root = self._root(axis)
            parts = self._split.get(root)
            found.extend(self.leaves(parts) if parts else (root,))
        return tuple(found)

    def size(self, axes: Sequence[Axis]) -> Extent:
        return product((self.sizes[a] for a in axes), self.one)

    def split(self, axis: Axis, inner: Extent) -> tuple[Axis, Axis]:
        """Split a leaf into (outer, inner) where `inner` divides its size in every trace."""
        parts = (self.fresh(self.sizes[axis] // inner), self.fresh(inner))
        self._split[axis] = parts
        self.version += 1
        return parts

    def unify(self, left: Sequence[Axis], right: Sequence[Axis], what: str) -> tuple[Axis, ...]:
        """Make two dimensions of equal size the same axes; an empty one broadcasts."""
        if not left or not right:
            return tuple(left or right)
        a, b = list(self.leaves(left)), list(self.leaves(right))
        while a and b:
            x, y = a.pop(), b.pop()
            if x == y:
                continue
            if self.sizes[x] == self.sizes[y]:
                self._join(y, x)
            elif self.sizes[y].divides(self.sizes[x]):
                outer, inner = self.split(x, self.sizes[y])
                self._join(y, inner)
                a.append(outer)
            elif self.sizes[x].divides(self.sizes[y]):
                outer, inner = self.split(y, self.sizes[x])
                self._join(inner, x)
                b.append(outer)
            else:
                raise CannotFuseError(
                    f"{what}: axes of {self._say(x)} and {self._say(y)} elements do not line up"
                )
        if a or b:
            raise CannotFuseError(f"{what}: dimensions of different size meet")
        return self.leaves(left)

    def regroup(self, axes: Sequence[Axis], sizes: Sequence[Extent], what: str) -> Dims:
        """Row-major regrouping of flattened axes into dimensions of the given sizes (a reshape)."""
        pool = list(self.leaves(axes))
        groups: list[tuple[Axis, ...]] = []
        for size in reversed(sizes):
            groups.append(self._take(pool, size, what))
        if pool:
            raise CannotFuseError(f"{what}: the element counts differ")
        return tuple(reversed(groups))

    def _take(self, pool: list[Axis], size: Extent, what: str) -> tuple[Axis, ...]:
        taken: list[Axis] = []
        left = size
        while not left.is_one():
            if not pool:
                raise CannotFuseError(f"{what}: the element counts differ")
            axis = pool.pop()
            have = self.sizes[axis]
            if have.divides(left):
                taken.append(axis)
                left = left // have
            elif left.divides(have):
                outer, inner = self.split(axis, left)
                pool.append(outer)
                taken.append(inner)
                left = self.one
            else:
                raise CannotFuseError(f"{what}: a dimension of {self._say(axis)} elements is cut unevenly")
        return tuple(reversed(taken))

    def resolve(self, affine: Affine) -> Affine:
        """The same index over leaf axes, each axis once."""
        if self._resolved_version != self.version:
            self._resolved, self._resolved_version = {}, self.version
        if affine not in self._resolved:
            self._resolved[affine] = self._over_leaves(affine)
        return self._resolved[affine]

    def _over_leaves(self, affine: Affine) -> Affine:
        total: dict[Axis, Extent] = {}
        for axis, coefficient in affine.terms:
            for leaf, weight in self.weights(axis):
                total[leaf] = total.get(leaf, self.one.like(0)) + coefficient * weight
        kept = tuple((a, c) for a, c in sorted(total.items()) if not c.is_zero())
        return Affine(kept, affine.constant)

    def weights(self, axis: Axis) -> list[tuple[Axis, Extent]]:
        """Leaves of an axis with the number of its steps each leaf step is worth."""
        step, found = self.one, []
        for leaf in reversed(self.leaves((axis,))):
            found.append((leaf, step))
            step = step * self.sizes[leaf]
        return found

    def row_major(self, dims: Dims, strides: Sequence[Extent]) -> Affine:
        """The buffer offset of a tensor whose dimensions are `dims` with element `strides`."""
        terms: list[tuple[Axis, Extent]] = []
        for axes, stride in zip(dims, strides, strict=True):
            step = stride
            for axis in reversed(axes):
                terms.append((axis, step))
                step = step * self.sizes[axis]
        return self.resolve(Affine(tuple(terms), self.one.like(0)))

    def substitute(self, affine: Affine, moves: Mapping[Axis, Affine]) -> Affine:
        """Replace leaf axes by affine expressions of other axes."""
        affine = self.resolve(affine)
        terms: list[tuple[Axis, Extent]] = []
        constant = affine.constant
        for axis, coefficient in affine.terms:
            move = moves.get(axis)
            if move is None:
                terms.append((axis, coefficient))
                continue
            constant = constant + coefficient * move.constant
            terms.extend((a, coefficient * c) for a, c in move.terms)
        return self.resolve(Affine(tuple(terms), constant))

    def _join(self, axis: Axis, other: Axis) -> None:
        self._same_as[axis] = other
        self.version += 1

    def _root(self, axis: Axis) -> Axis:
        while axis in self._same_as:
            axis = self._same_as[axis]
        return axis

    def _say(self, axis: Axis) -> str:
        return str(self.sizes[axis].full)
