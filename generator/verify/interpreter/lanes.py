"""Orders the lanes of one program: what one lane wrote, another may read only once a barrier stands between.

A program's warps run at their own pace, and a compiler puts no barrier between accesses to global memory. So
of two accesses to one address, one of them a store, or an atomic where the other is none, each lane must meet
its own (the same place in a block of the same shape), or every lane must have waited in between: at
`tl.debug_barrier`, in a reduction or a scan of a whole block, in a product, or at an atomic on one address.
One lane stores a single value, and all lanes load it: what they may do with it then, `behind.py` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from triton.runtime import interpreter as triton_interpreter

Addresses = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]


class _Access(NamedTuple):
    """The addresses of the lanes that are not masked off, and which of the block these are."""

    addresses: Addresses
    mask: Mask
    low: int
    high: int

    def places(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(self.mask)


@dataclass
class Lanes:
    """What one program did to one tensor since its lanes last waited for each other."""

    loads: list[_Access] = field(default_factory=list)
    stores: list[_Access] = field(default_factory=list)
    atomics: list[_Access] = field(default_factory=list)

    def load(self, addresses: Addresses, mask: Mask) -> int | None:
        """The first address that another lane has stored to, or changed by an atomic."""
        access = _access(addresses, mask)
        self.loads.append(access)
        written = (*self.stores, *self.atomics)
        return next((int(met[0]) for one in written if (met := _met(one, access)).size), None)

    def behind(self, addresses: Addresses, mask: Mask) -> bool:
        """Whether a load of a single value comes after a store of it, by one lane."""
        single = addresses.size == mask.size == 1
        return single and any(one.mask.size == 1 and one.low == int(addresses[0]) for one in self.stores)

    def store(self, addresses: Addresses, mask: Mask) -> Addresses:
        """The addresses that another lane has loaded from or stored to, or changed by an atomic."""
        access = _access(addresses, mask)
        met = [_met(one, access) for one in (*self.loads, *self.stores, *self.atomics)]
        self.stores.append(access)
        return np.concatenate([addresses[:0], *met])

    def atomic(self, addresses: Addresses, mask: Mask) -> int | None:
        """The first address that another lane has loaded from or stored to; atomics may meet each other."""
        access = _access(addresses, mask)
        self.atomics.append(access)
        used = (*self.loads, *self.stores)
        return next((int(met[0]) for one in used if (met := _met(one, access)).size), None)


def _access(addresses: Addresses, mask: Mask) -> _Access:
    low, high = int(np.minimum.reduce(addresses)), int(np.maximum.reduce(addresses))
    return _Access(addresses, mask, low, high)


def _met(one: _Access, other: _Access) -> Addresses:
    """The addresses at which two different lanes meet."""
    alike = one.mask.shape == other.mask.shape
    if one.high < other.low or other.high < one.low or (alike and one.mask.size == 1):
        return other.addresses[:0]
    order = np.argsort(one.addresses, kind="stable")
    known, places = one.addresses[order], one.places()[order]
    first = np.searchsorted(known, other.addresses, side="left")
    last = np.searchsorted(known, other.addresses, side="right") - 1
    met = last >= first
    if alike:
        mine, ends = other.places(), len(places) - 1
        own = (places[np.minimum(first, ends)] == mine) & (places[np.maximum(last, 0)] == mine)
        met &= ~own
    return other.addresses[met]


def unlike(addresses: npt.NDArray[np.uint64], values: npt.NDArray[Any], mask: Mask) -> npt.NDArray[np.uint64]:
    """Those of the addresses that hold other bits than the store is about to put there."""
    stored = np.ascontiguousarray(np.broadcast_to(values, mask.shape)[mask])
    everywhere = np.ones(addresses.shape, np.bool_)
    there = triton_interpreter._interpreter.load(addresses, everywhere, np.zeros_like(stored), stored.dtype)
    bits = np.dtype(f"u{stored.dtype.itemsize}")
    differ: npt.NDArray[np.bool_] = stored.view(bits) != there.view(bits)
    return addresses[differ]


def disagree(addresses: npt.NDArray[np.uint64], values: npt.NDArray[Any], mask: Mask) -> bool:
    """Whether lanes of one store share an address and store unlike values: which one stays is not said.
    `mask`: which lanes of the block of `values` the addresses belong to."""
    if addresses.size < 2 or (addresses[1:] > addresses[:-1]).all():
        return False
    stored = np.broadcast_to(values, mask.shape)[mask]
    order = np.argsort(addresses, kind="stable")
    addresses, stored = addresses[order], stored[order]
    alike = (stored[1:] == stored[:-1]) | ((stored[1:] != stored[1:]) & (stored[:-1] != stored[:-1]))
    return bool(((addresses[1:] == addresses[:-1]) & ~alike).any())
