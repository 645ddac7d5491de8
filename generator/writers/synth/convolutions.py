"""A convolution as a product of packed factors: its axes, its slides, and the elements that a step reads.

Packed, the channels of a place lie side by side and padding is part of the tensor, so that a step of the
product reads one tap of many places in whole vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from .expr import Contract, Load
from .extent import Extent
from .loops import LoopAxis, Loops
from .skeletons.factors import only_loaded
from .slides import Slide, slide
from .space import Axis

SIDES = ("depth", "height", "width")
"""Names of the last dimensions; a window slides over one of them or more."""

FEW_CHANNELS = 16
"""Fewer in a group are read together with their neighbours along the width."""


@dataclass(frozen=True)
class Convolution:
    """The product of a region, its weight and its tensor, with the axes that they share or have alone."""

    number: int
    weight: Load
    image: Load
    batch: Axis | None
    group: Axis | None
    row: Axis
    channel: Axis | None
    images: Extent
    groups: Extent
    rows: Extent
    channels: Extent
    sides: tuple[Slide, ...]

    @property
    def phases(self) -> int:
        """Dense forms that the results are: one without steps."""
        return math.prod(side.step for side in self.sides)

    @property
    def runs(self) -> bool:
        """Whether the taps along the width are read in one run with the channels, of which there are few."""
        last, dense = self.sides[-1], self.phases == 1 and self.groups.is_one()
        return dense and self.channels.full < FEW_CHANNELS and last.dilation == 1 and last.taps > 1

    @property
    def boxes(self) -> bool:
        """Whether a tile of neighbouring places reads neighbouring places at every tap: no stride, one group,
        and taps apart from one another."""
        return self.groups.is_one() and not self.runs and all(side.stride == 1 for side in self.sides)

    @property
    def outer(self) -> tuple[Slide, ...]:
        """The dimensions whose taps are steps of the product."""
        return self.sides[:-1] if self.runs else self.sides

    @property
    def unit(self) -> int:
        """Channels of a group are padded to a multiple of this, for whole vectors."""
        return 4 if self.runs and self.channels.full <= 4 else 8

    @property
    def held(self) -> int:
        """Channels of a group as packed, at full size."""
        return math.ceil(self.channels.full / self.unit) * self.unit

    @property
    def run(self) -> int:
        """Elements of one tap that lie side by side, at full size."""
        return self.held * (self.sides[-1].taps if self.runs else 1)

    @property
    def taps(self) -> int:
        """Taps of the weight, in steps of the product."""
        return math.prod(side.taps for side in self.outer)

    @property
    def taps_of_phases(self) -> int:
        """Taps that the dense forms have together."""
        return math.prod(sum(map(side.taps_of, range(side.step))) for side in self.outer)

    @property
    def places(self) -> Extent:
        """Results of one phase."""
        return math.prod((side.walked for side in self.sides), start=self.images)

    @property
    def packed_places(self) -> int:
        """Places of the packed tensor at full size."""
        return math.prod((side.packed.full for side in self.sides), start=self.images.full)

    @property
    def packed_elements(self) -> int:
        """Elements of the packed tensor at full size."""
        return self.packed_places * self.groups.full * self.held


def convolution_of(loops: Loops) -> Convolution | None:
    """The one product of a region, where it is a convolution of tensors as they lie in memory."""
    region, tiling = loops.region, loops.tiling
    if tiling is None or tiling.inner or tiling.held_cols or (tiling.held_rows and tiling.kept_rows):
        return None
    builder, space = region.builder, region.builder.space
    numbers = builder.walk([s.value for s in region.stores])
    products = [(n, node) for n in numbers if isinstance(node := builder.nodes[n], Contract)]
    if len(products) != 1:
        return None
    number, product = products[0]
    weight, image = only_loaded(builder, product.left), only_loaded(builder, product.right)
    if weight is None or image is None or not _factors(weight, image, builder.dtype(product.left)):
        return None
    axes = (*tiling.batch, *tiling.rows, *tiling.cols, *tiling.depth)
    if any(len(axis.leaves) > 1 for axis in axes):
        return None
    batch, rows, cols, depth = map(_leaves, (tiling.batch, tiling.rows, tiling.cols, tiling.depth))
    pitches = dict(space.resolve(weight.index).terms)
    taps = sorted(image.taps, key=lambda tap: -tap.stride.full)
    names = SIDES[-len(taps) :]
    found = [slide(space, n, tap, cols, depth, pitches) for n, tap in zip(names, taps, strict=True)]
    sides = tuple(side for side in found if side is not None)
    if len(sides) < len(found):
        return None
    cols -= {side.place for side in sides if side.place is not None}
    depth -= {side.tap for side in sides if side.tap is not None}
    if len(rows) != 1 or max(len(cols), len(depth), len(batch)) > 1:
        return None
    images, groups, channels = (_size(loops, found) for found in (cols, batch, depth))
    return Convolution(
        number, weight, image, _only(cols), _only(batch), min(rows), _only(depth),
        images, groups, _size(loops, rows), channels, sides,
    )  # fmt: skip


def _factors(weight: Load, image: Load, dtype: str) -> bool:
    """Whether only the image is seen through windows, and both are multiplied in the type they have."""
    plain = not weight.taps and not weight.gathered and not image.gathered
    return plain and 0 < len(image.taps) <= len(SIDES) and weight.dtype == image.dtype == dtype


def _leaves(axes: Iterable[LoopAxis]) -> set[Axis]:
    return {axis.leaves[0] for axis in axes}


def _only(axes: set[Axis]) -> Axis | None:
    return min(axes, default=None)


def _size(loops: Loops, axes: set[Axis]) -> Extent:
    return math.prod((loops.region.builder.space.sizes[axis] for axis in axes), start=loops.one)
