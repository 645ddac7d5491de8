"""The loop nest of a region: its axes ordered as memory lies and merged where all accesses allow it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .expr import Load, Position, Scan, indices
from .extent import Extent, product
from .lowering.region import Region
from .space import Affine, Axis


@dataclass(frozen=True)
class LoopAxis:
    """Adjacent leaf axes walked as one; `leaves` are outermost first."""

    leaves: tuple[Axis, ...]
    size: Extent


@dataclass(frozen=True)
class Tiling:
    """The loop axes of matrix products: results are tiles of `rows` x `cols` in each of `batch`, summed over
    `depth`. Those of an attention are summed over its keys, its scores over `inner`. The last `held_rows` of
    the rows and `held_cols` of the columns are reduced, so that a tile holds them whole."""

    batch: tuple[LoopAxis, ...]
    rows: tuple[LoopAxis, ...]
    cols: tuple[LoopAxis, ...]
    depth: tuple[LoopAxis, ...]
    inner: tuple[LoopAxis, ...] = ()
    held_rows: tuple[LoopAxis, ...] = ()
    held_cols: tuple[LoopAxis, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether anything of the results is reduced in their tiles."""
        return bool(self.held_rows or self.held_cols)

    @property
    def kept_rows(self) -> tuple[LoopAxis, ...]:
        return self.rows[: len(self.rows) - len(self.held_rows)]

    @property
    def kept_cols(self) -> tuple[LoopAxis, ...]:
        return self.cols[: len(self.cols) - len(self.held_cols)]


@dataclass(frozen=True)
class Loops:
    """Kept axes (one program or lane each), reduced axes (summed over), unrolled axes (written out).

    `tiling` sorts the axes of a region with matrix products; its kept axes are those of the results.
    """

    region: Region
    kept: tuple[LoopAxis, ...]
    reduced: tuple[LoopAxis, ...]
    tiling: Tiling | None = None

    @property
    def one(self) -> Extent:
        return self.region.builder.space.one

    @cached_property
    def rows(self) -> Extent:
        return product((a.size for a in self.kept), self.one)

    @cached_property
    def columns(self) -> Extent:
        return product((a.size for a in self.reduced), self.one)

    @cached_property
    def windowed(self) -> bool:
        """Whether the reductions run over windows that slide along the results."""
        b, inner = self.region.builder, set(self.region.reduced_axes)
        nodes = (b.nodes[n] for n in b.walk([s.value for s in self.region.stores]))
        places = (b.space.resolve(tap.place) for n in nodes if isinstance(n, Load) for tap in n.taps)
        return any({a for a, _ in p.terms} & inner and {a for a, _ in p.terms} - inner for p in places)

    @cached_property
    def apart(self) -> int:
        """Elements, at full size, between what neighbours see at the same place of a window; 0 where
        no window slides along the innermost axis."""
        b, inner = self.region.builder, set(self.region.reduced_axes)
        last = self.kept[-1].leaves[-1] if self.kept else None
        nodes = (b.nodes[n] for n in b.walk([s.value for s in self.region.stores]))
        taps = [tap for node in nodes if isinstance(node, Load) for tap in node.taps]
        moves = [(dict(b.space.resolve(tap.place).terms), tap.stride) for tap in taps]
        steps = [terms[last] * stride for terms, stride in moves if last in terms and terms.keys() & inner]
        return max((abs(step.full) for step in steps), default=0)

    @cached_property
    def scans(self) -> tuple[int, ...]:
        """Running sums and products of the region."""
        b = self.region.builder
        found = b.walk([s.value for s in self.region.stores])
        return tuple(n for n in found if isinstance(b.nodes[n], Scan))

    @cached_property
    def scans_back(self) -> bool:
        """Whether they run from the ends of their rows."""
        nodes = (self.region.builder.nodes[n] for n in self.scans)
        return any(isinstance(node, Scan) and node.reverse for node in nodes)

    @cached_property
    def reduces_innermost(self) -> bool:
        """Whether neighbours in memory are reduced together (rows) or kept apart (columns)."""
        step = _reference(self.region).terms
        unit = [axis for axis, coefficient in step if coefficient.is_one()]
        inner = {leaf for a in self.reduced for leaf in a.leaves}
        return bool(inner) and (not unit or unit[0] in inner)

    @cached_property
    def reference(self) -> Affine:
        """The index of the access that touches most memory."""
        return self.region.builder.space.resolve(_reference(self.region))

    @cached_property
    def packed(self) -> Affine | None:
        """`row * n_cols + col`, where the largest tensor holds its rows so, one behind the other."""
        index, step = self.reference, self.one
        for axis in reversed((*self.kept, *self.reduced)):
            if self.coefficient(index, axis) != step:
                return None
            step = step * axis.size
        return index if self.kept and self.reduced and index.constant.is_zero() else None

    def coefficient(self, affine: Affine, axis: LoopAxis) -> Extent:
        """Elements the index moves per step of a loop axis."""
        return dict(affine.terms).get(axis.leaves[-1], self.one.like(0))


def find_loops(region: Region) -> Loops:
    order = _order(region)
    kept = sorted(region.kept_axes, key=order.__getitem__)
    reduced = sorted(region.reduced_axes, key=order.__getitem__)
    accesses = list(_accesses(region))
    if region.product is not None:
        axes = region.product

        def merged(side: frozenset[Axis]) -> tuple[LoopAxis, ...]:
            return _merge(region, sorted(side, key=order.__getitem__), accesses)

        rows, cols = merged(axes.rows & axes.held), merged(axes.cols & axes.held)
        tiling = Tiling(
            merged(axes.batch), (*merged(axes.rows - axes.held), *rows),
            (*merged(axes.cols - axes.held), *cols), merged(axes.depth), merged(axes.inner), rows, cols,
        )  # fmt: skip
        return Loops(region, (*tiling.batch, *tiling.rows, *tiling.cols), (), tiling)
    return Loops(region, _merge(region, kept, accesses), _merge(region, reduced, accesses))


def _accesses(region: Region) -> Iterator[Affine]:
    space = region.builder.space
    for number in region.builder.walk([s.value for s in region.stores]):
        node = region.builder.nodes[number]
        if isinstance(node, Load | Position):
            yield from (space.resolve(index) for index in indices(node))
    for store in region.stores:
        yield space.resolve(store.index)


def _reference(region: Region) -> Affine:
    """The access that touches most memory; its order is the loop order."""
    space = region.builder.space

    def extent(affine: Affine) -> int:
        return product((space.sizes[a] for a, _ in affine.terms), space.one).full

    return max(_accesses(region), key=extent, default=Affine((), space.one.like(0)))


def _order(region: Region) -> dict[Axis, int]:
    """Position of every axis, outermost first: by stride in the reference, then in the other accesses."""
    rank: dict[Axis, int] = {}
    accesses = sorted(_accesses(region), key=lambda a: a is not None and -len(a.terms))
    for affine in [_reference(region), *accesses]:
        by_stride = sorted(affine.terms, key=lambda term: -term[1].full)
        for axis, _ in by_stride:
            rank.setdefault(axis, len(rank))
    summed = sorted(region.product.depth | region.product.inner) if region.product is not None else ()
    for axis in (*region.kept_axes, *region.reduced_axes, *summed):
        rank.setdefault(axis, len(rank))
    return rank


def _merge(region: Region, axes: list[Axis], accesses: list[Affine]) -> tuple[LoopAxis, ...]:
    space = region.builder.space
    zero = space.one.like(0)
    merged: list[LoopAxis] = []
    for axis in axes:
        here = LoopAxis((axis,), space.sizes[axis])
        if merged and all(
            dict(a.terms).get(merged[-1].leaves[-1], zero) == dict(a.terms).get(axis, zero) * here.size
            for a in accesses
        ):
            outer = merged.pop()
            here = LoopAxis((*outer.leaves, axis), outer.size * here.size)
        merged.append(here)
    return tuple(merged)
