"""The bytes of one tensor, and which programs touched them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from numpy.lib.stride_tricks import as_strided

from .effort import effort

NEVER = -1

Slots = npt.NDArray[np.int64]
Addresses = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Traffic:
    """Bytes one buffer saw in one call: as issued by all programs, and counted once per address."""

    load_issued: int = 0
    load_unique: int = 0
    store_issued: int = 0
    store_unique: int = 0


@dataclass
class Extent:
    """The bytes [start, stop) of one tensor, and who touched them; slots are elements of `item_bytes`."""

    name: str
    start: int
    stop: int
    item_bytes: int
    load_issued: int = 0
    store_issued: int = 0
    loaded: npt.NDArray[np.bool_] = field(init=False)
    stored: npt.NDArray[np.bool_] = field(init=False)
    writer: Slots = field(init=False)
    reader: Slots = field(init=False)
    atomics: list[tuple[int, Slots]] = field(default_factory=list)  # of this launch: stamp and slots
    fresh: bool = False  # nobody has written to it but kernels
    relied: npt.NDArray[np.bool_] | None = None  # of a kept tensor: read before this call had written it

    def __post_init__(self) -> None:
        slots = max(1, (self.stop - self.start) // self.item_bytes)
        self.loaded, self.stored = np.zeros(slots, np.bool_), np.zeros(slots, np.bool_)
        self.writer, self.reader = np.full(slots, NEVER, np.int64), np.full(slots, NEVER, np.int64)

    def at(self, address: int) -> str:
        """Its name and the element that the address is in."""
        return f"{self.name}[{(address - self.start) // self.item_bytes}]"

    def slots(self, addresses: Addresses, item_bytes: int) -> tuple[Slots, int]:
        """Of accesses as wide as that at these addresses, which lie in it; and how many of these differ."""
        effort.touched += addresses.size
        offsets = (addresses - np.uint64(self.start)).astype(np.int64)
        distinct = offsets if offsets.size < 2 or (offsets[1:] > offsets[:-1]).all() else np.unique(offsets)
        slots = distinct // self.item_bytes
        if item_bytes > self.item_bytes:  # a wider access than the tensor's own elements
            per_item = item_bytes // self.item_bytes
            slots = (slots[:, None] + np.arange(per_item)).reshape(-1)
        return slots, int(distinct.size)

    def own(self, addresses: Addresses) -> Addresses:
        return addresses[(addresses >= self.start) & (addresses < self.stop)]

    def distance(self, address: int) -> int:
        return min(abs(address - self.start), abs(address - self.stop))

    def read(self, slots: Slots) -> None:
        if self.relied is not None:
            self.relied[slots[~self.stored[slots]]] = True

    def lanes(self, marks: npt.NDArray[np.bool_], tensor: torch.Tensor) -> npt.NDArray[np.bool_]:
        """`marks` of the slots that `tensor`, which lies in this extent, consists of, in its shape."""
        if tensor.element_size() != self.item_bytes or tensor.data_ptr() < self.start:
            return marks
        first = marks[(tensor.data_ptr() - self.start) // self.item_bytes :]
        return as_strided(first, tensor.shape, tensor.stride())

    def traffic(self) -> Traffic:
        return Traffic(
            self.load_issued,
            int(self.loaded.sum()) * self.item_bytes,
            self.store_issued,
            int(self.stored.sum()) * self.item_bytes,
        )


def loaded_whole(extents: Iterable[Extent], known: Mapping[str, torch.Tensor]) -> set[str]:
    """Labels of tensors that were loaded to the last element: as `known`, others that were stored to by the
    first name that a kernel has for them."""
    labels = {tensor.data_ptr(): label for label, tensor in known.items()}
    told = [(labels.get(one.start, one.name if one.stored.any() else ""), one) for one in extents]
    return {label for label, _ in told} - {label for label, one in told if not one.loaded.all()}
