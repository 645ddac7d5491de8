"""Addresses with nothing behind them: which of them programs store to, and which lie in no tensor."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .effort import effort
from .extent import Addresses
from .launches import tensors_in
from .violations import OutOfBoundsError

_BUDGET_S = 6.0
"""Seconds, as `Effort` counts, for one walk through full size, times how much more of it is walked; where
they run out, nothing is claimed."""

_MOST_BESIDE = 65535
"""Programs along a grid's second and third axis (CUDA C++ Programming Guide, technical specifications)."""

_APART = 1 << 40  # bytes between two tensors' addresses


@dataclass(frozen=True)
class Rising:
    """What a row of beginnings holds: whole numbers that rise evenly from zero to this."""

    to: int

    def at(self, places: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """Those at some places of a row of so many."""
        return places.clip(0, max(0, count - 1)) * self.to // max(1, count - 1)


class TimeIsUpError(Exception):
    """The walk takes too long."""


@dataclass
class _Extent:
    name: str
    start: int
    stop: int
    stored: list[Addresses] = field(default_factory=list)
    scattered: bool = False  # lanes store where others do, since the places loaded are all one
    most: float = 0.0  # elements that all programs so far can have stored
    called: str = ""  # by the first kernel that takes it
    item_bytes: int = 1  # of the tensor that it takes
    loading: int = 0  # bytes that this program loads, each time it does
    loaded: float = 0.0  # likewise all programs so far, at most
    first: float = math.inf  # address of its bytes that any program looked at has loaded
    last: float = -math.inf  # and behind the last one
    uneven: bool = False  # some programs of a launch load from it, and others, its last apart, do not
    highest: int | Rising | None = None  # index that may stand in it
    adding: float = 0.0  # whole numbers that this program adds to one of its elements, at most
    counted: float = 0.0  # likewise all programs so far
    counts_to: float = math.inf  # up to where such an element is exact

    def note_loads(self, addresses: Addresses, item_bytes: int) -> None:
        self.loading += addresses.size * item_bytes
        if addresses.size:
            self.first = min(self.first, int(addresses.min()))
            self.last = max(self.last, int(addresses.max()) + item_bytes)

    def loaded_at_most(self, whole: int) -> float:
        """Bytes that all programs have loaded of the `whole`: as many as they load, or as lie between the
        first and the last of those looked at, the ends of the grid among them, where that is not half."""
        reach = max(0.0, self.last - self.first) or self.loaded
        return self.loaded if 2 * reach >= whole else min(self.loaded, reach)


class Phantom:
    """Addresses with nothing behind them, in the place of `memory.Memory`."""

    loads_without_other = 0

    def __init__(self, content: int, times: int = 1, claims: tuple[str, str] | None = None) -> None:
        """`claims`: the one kind of access, and the tensor, that is refused out of bounds; None: any."""
        self.claims, self.refused = claims, claims
        self.content, self.until = content, effort.seconds() + times * _BUDGET_S
        self.extents: dict[int, _Extent] = {}
        self.fresh: set[int] = set()
        self.highest: dict[int, int | Rising] = {}  # by the storage
        self.faults: list[tuple[str, str]] = []
        self._held: list[Any] = []
        self._reachable: list[_Extent] = []
        self._kernel = ""
        self.ticket: int | None = None  # what a program finds that counts itself in
        self.takes_tickets = False
        self.narrow = False  # something was added up in few bits
        self.steered = False  # whole numbers or truths were loaded, by which a program may turn
        self._wrapped, self._cut_off = set[str](), set[str]()  # kernels
        self._first_held: dict[
            Any, bool
        ] = {}  # by its place in the text: whether the first cast to few bits held
        self.whole_s = 0.0  # what all programs of all launches take, at the pace of those walked

    def address(self, tensor: torch.Tensor) -> int:
        return self.of(tensor).start + int(tensor.storage_offset()) * tensor.element_size()

    def of(self, tensor: torch.Tensor) -> _Extent:
        storage = tensor.untyped_storage()
        if storage._cdata not in self.extents:
            self._held.append(storage)
            start = (len(self.extents) + 1) * _APART
            self.extents[storage._cdata] = _Extent("a tensor", start, start + int(storage.nbytes()))
            self.extents[storage._cdata].highest = self.highest.get(storage._cdata)
        return self.extents[storage._cdata]

    def begin_launch(self, kernel: str, named: Mapping[str, Any]) -> None:
        self._kernel, self._reachable = kernel, []
        for name, tensor in tensors_in(named):
            extent = self.of(tensor)
            extent.name, extent.called = name, extent.called or name
            extent.item_bytes = tensor.element_size()
            self._reachable.append(extent)

    def begin_program(self, number: int) -> None:
        for extent in self._reachable:
            extent.stored.clear()
            extent.adding, extent.loading, extent.scattered = 0.0, 0, False

    def stored(self) -> dict[int, int]:
        """Elements that the program has stored, by the start of the tensor."""
        return {
            one.start: sum(some.size for some in one.stored) if one.scattered else _different(one.stored)
            for one in self._reachable
            if one.stored
        }

    def loaded(self) -> dict[int, int]:
        """Bytes that the program has loaded, by the start of the tensor."""
        return {one.start: one.loading for one in self._reachable if one.loading}

    def compare(self, programs: Sequence[Collection[int]]) -> None:
        """What the programs of a launch that were looked at have loaded from, the last of them last: where
        they do not do the same, nobody knows how many do which."""
        for extent in self._reachable:
            takes = [extent.start in one for one in programs]
            extent.uneven = extent.uneven or (any(takes) and not all(takes[:-1]))

    def added(self) -> dict[int, float]:
        """Whole numbers that the program has added to one element, by the start of the tensor."""
        return {one.start: one.adding for one in self._reachable if one.adding}

    def count(self, address: int, added: float, counts_to: int) -> None:
        """An atomic addition, as `run_over.counted` tells it."""
        for extent in self._reachable:
            if added and extent.start <= address < extent.stop:
                extent.adding += added
                extent.counts_to = counts_to

    def note_highest(self, tensor: torch.Tensor, highest: int | Rising | None) -> None:
        """Loads from this tensor give `highest`."""
        if highest is not None:
            self._held.append(tensor)
            self.highest[tensor.untyped_storage()._cdata] = highest

    def index_at(self, addresses: Addresses, lanes: Addresses) -> int | npt.NDArray[np.int64] | None:
        """What a load from there gives, where that is known; `lanes`: those that are masked off, too."""
        start = int(addresses[0]) if addresses.size else 0
        within = next((one for one in self._reachable if one.start <= start < one.stop), None)
        if within is None:
            return None
        known = within.highest
        if not isinstance(known, Rising):
            return known
        places = (lanes.astype(np.int64) - within.start) // within.item_bytes
        return known.at(places, (within.stop - within.start) // within.item_bytes)

    def load(self, addresses: Addresses, item_bytes: int) -> None:
        self._touch(addresses, item_bytes, "load")

    def store(self, addresses: Addresses, item_bytes: int) -> None:
        self._touch(addresses, item_bytes, "store")

    def atomic(self, addresses: Addresses, item_bytes: int, **_: Any) -> None:
        self._touch(addresses, item_bytes, "store")

    def holds(self, addresses: Addresses) -> npt.NDArray[np.bool_]:
        """As of `Memory`."""
        inside = np.zeros(addresses.shape, np.bool_)
        for extent in self._reachable:
            inside |= (addresses >= extent.start) & (addresses < extent.stop)
        return inside

    def look(self, addresses: Addresses, **_: Any) -> None:
        """Nothing is ordered here."""

    def wait(self) -> None:
        """Neither here."""

    def _touch(self, addresses: Addresses, item_bytes: int, verb: str) -> None:
        if effort.seconds() > self.until:
            raise TimeIsUpError
        effort.touched += addresses.size
        if addresses.size == 0:
            return
        inside = np.zeros(addresses.shape, np.bool_)
        for extent in self._reachable:
            mine = (addresses >= extent.start) & (addresses + np.uint64(item_bytes) <= extent.stop)
            if verb == "store" and mine.any():
                extent.stored.append(addresses[mine])
                extent.scattered |= self.steered and _different([addresses[mine]]) < int(mine.sum())
            elif verb == "load":
                extent.note_loads(addresses[mine], item_bytes)
            inside |= mine
        if not inside.all():
            self._refuse(int(addresses[~inside][0]), verb)

    def _refuse(self, address: int, verb: str) -> None:
        nearest = min(self._reachable, key=lambda one: min(abs(address - one.start), abs(address - one.stop)))
        if self.claims not in (None, (verb, nearest.name)):
            return
        self.refused = (verb, nearest.name)
        past, before = address - nearest.stop, nearest.start - address
        off = f"{past} bytes past the end" if before < 0 else f"{before} bytes before the start"
        detail = f"{self._kernel} at full size: a {verb} that is not masked off goes {off} of {nearest.name}"
        self.faults.append(("out-of-bounds", detail))
        raise OutOfBoundsError(detail)

    def check_grid(self, sizes: Sequence[int]) -> None:
        """Programs beyond the first axis are few: a launch of more fails."""
        if max(sizes[1:]) > _MOST_BESIDE:
            detail = f"{self._kernel} at full size: a grid of {list(sizes)}; its second and third axes end at"
            self.faults.append(("over-limit", f"{detail} {_MOST_BESIDE}"))

    def add_narrow(self, wraps: bool) -> None:
        """A sum of integers of few bits."""
        self.narrow = True
        self._wrapped |= {self._kernel} if wraps else set()

    def keep_narrow(self, place: Any, cut_off: bool) -> None:
        """A product or a cast at a `place` in the text: one that the first program's first does not hold is
        cut off on purpose, of a hash say; what sizes lead to begins near zero."""
        self.narrow = True
        held = self._first_held.setdefault((self._kernel, place), not cut_off)
        self._cut_off |= {self._kernel} if cut_off and held else set()

    def run_over(self) -> tuple[tuple[str, str], ...]:
        """Faults of kernels that count past the end of few bits, or keep there what these do not hold."""
        counts = "counts past the end of 8 or 16 bits where it loads nothing but ones"
        keeps = "keeps in 8 or 16 bits a number made of sizes that they do not hold"
        return (
            *(("hard-coded-shape", f"{kernel} at full size {keeps}") for kernel in sorted(self._cut_off)),
            *(("unjudged-path", f"{kernel} at full size {counts}") for kernel in sorted(self._wrapped)),
        )

    def miscounted(self, outputs: Sequence[torch.Tensor]) -> None:
        """Floating counters that may be asked for more than they can count, where whole numbers come out."""
        if all(output.is_floating_point() for output in outputs):
            return
        for extent in self.extents.values():
            if extent.counted > extent.counts_to:
                asked = f"{extent.name} may have to count to {extent.counted:.0f} at full size"
                self.faults.append(
                    ("unjudged-path", f"{asked}, and its type stops at {extent.counts_to:.0f}")
                )

    def unread(self, known: Mapping[str, torch.Tensor]) -> dict[str, str]:
        """By their labels: tensors that all programs together cannot have loaded whole, those between kernels
        by their first name; none where loaded numbers may decide what is loaded."""
        labels = {tensor.untyped_storage()._cdata: label for label, tensor in known.items()}
        held = {label: tensor.nbytes for label, tensor in known.items() if 0 not in tensor.stride()}
        found: dict[str, str] = {}
        for key, extent in self.extents.items() if not self.steered else ():
            label = labels.get(key, extent.called if extent.most else "")
            whole = held.get(label, 0) if key in labels else extent.stop - extent.start
            if label and not extent.uneven and 0 < extent.loaded_at_most(whole) < whole:
                loaded, count = (
                    int(one) // extent.item_bytes for one in (extent.loaded_at_most(whole), whole)
                )
                told = f"at most {loaded} of the {count} elements of {label}"
                found[label] = f"at full size its programs load {told}"
        return found

    def unwritten(self, outputs: Sequence[torch.Tensor]) -> None:
        """Outputs that all programs together cannot have filled, though nothing else wrote to them."""
        for place, output in enumerate(outputs):
            extent = self.extents.get(output.untyped_storage()._cdata)
            if extent is None or output.untyped_storage()._cdata not in self.fresh or 0 in output.stride():
                continue
            if extent.most < output.numel():
                stored = f"at most {int(extent.most)} of the {output.numel()} elements of output {place}"
                self.faults.append(("unwritten-output", f"at full size its programs store {stored}"))


def _different(stored: Sequence[Addresses]) -> int:
    return int(np.unique(np.concatenate(stored)).size)
