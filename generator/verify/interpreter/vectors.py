"""Tells how many elements an access can move at once, and where they then lie.

A vector begins where its first lane asks, and its mask is that lane's. It takes addresses that follow each
other, begins at a multiple of its own size, and has one mask for all its lanes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_BYTES = 16
"""Of one access by one thread, on every device."""

Values = npt.NDArray[Any]


@dataclass
class Site:
    """One access in a kernel's text: the fewest elements that any of its executions lets a vector have, and
    the widths at which one would begin between its own multiples."""

    width: int = MOST_BYTES
    misaligned: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Vector:
    """`width` elements along `axis`, accessed where their first lane asks and as its mask says."""

    width: int
    axis: int

    def firsts(self, values: Values) -> Values:
        """What the first lane of each vector has, in all its lanes."""
        return firsts_of(values, self.width, self.axis)


def firsts_of(values: Values, count: int, axis: int) -> Values:
    places = np.arange(values.shape[axis])
    return np.take(values, places - places % count, axis=axis)


def vector_at(site: Site, addresses: Values, lanes: Values, item_bytes: int) -> Vector | None:
    """The widest vector that these addresses and this mask allow at `site`, as its earlier executions did."""
    widest = Vector(1, 0)
    for axis in reversed(range(addresses.ndim)):
        width = min(site.width, MOST_BYTES // item_bytes, addresses.shape[axis])
        while width > 1 and not _vectorises(addresses, lanes, Vector(width, axis), item_bytes):
            width //= 2
        if width > widest.width:
            widest = Vector(width, axis)
    site.width = widest.width
    return widest if widest.width > 1 else None


def _vectorises(addresses: Values, lanes: Values, vector: Vector, item_bytes: int) -> bool:
    firsts = vector.firsts(addresses)
    contiguous = (addresses == firsts + steps(addresses, vector, item_bytes)).all()
    aligned = (firsts % np.array(vector.width * item_bytes, firsts.dtype) == 0).all()
    return bool(contiguous and aligned and (lanes == vector.firsts(lanes)).all())


def as_accessed(vector: Vector, addresses: Values, lanes: Values, item_bytes: int) -> tuple[Values, Values]:
    """Addresses and mask of the lanes as the vector has them; both have the shape of the block."""
    return vector.firsts(addresses) + steps(addresses, vector, item_bytes), vector.firsts(lanes)


def misaligned(vector: Vector, addresses: Values, lanes: Values, item_bytes: int) -> bool:
    firsts = vector.firsts(addresses)[vector.firsts(lanes)]
    return bool((firsts % np.array(vector.width * item_bytes, firsts.dtype)).any())


def steps(addresses: Values, vector: Vector, item_bytes: int) -> Values:
    """How far each lane's element lies from the first of its vector."""
    along_axis = np.arange(addresses.shape[vector.axis]) % vector.width * item_bytes
    along = [-1 if place == vector.axis else 1 for place in range(addresses.ndim)]
    return along_axis.reshape(along).astype(addresses.dtype)
