"""Watches every address that an interpreted kernel touches: bounds, races between programs, bytes moved.

On a GPU the programs of one launch run in any order and at the same time; the interpreter runs them one after
another, so a lost update looks right and a read past the end returns whatever lies there. Here each launch
may touch only the tensors passed to it, each byte's writer and readers are remembered, and both faults are
reported. What meets at one address races unless all of it is atomic, or atomics order it (`order.py`); the
lanes of one program race as well, unless a barrier orders them (`lanes.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
import torch

from .extent import Addresses, Extent, Slots, Traffic
from .lanes import Lanes, Mask
from .order import Order
from .violations import MOST, OutOfBoundsError, Violation, lanes_met, programs_met

_PROGRAM_BITS, _MOMENT_BITS = 24, 20  # of a stamp: launch, program, moment
_SEVERAL = (1 << _PROGRAM_BITS) - 1  # program number that stands for "more than one program"
_LAST_MOMENT = (1 << _MOMENT_BITS) - 1


class Memory:
    """The tensors a candidate's kernels may touch during one call, and what they did."""

    def __init__(self, unused: set[tuple[str, str]] | None = None) -> None:
        """`unused`: kernels and names of tensors of which single programs load what others store, and make no
        use of it as far as is known; calls may share it."""
        self.unused = set() if unused is None else unused
        self.extents: dict[int, Extent] = {}
        self.violations: list[Violation] = []
        self.loads_without_other = 0
        self._launch = 0
        self._kernel = ""
        self._starts: list[int] = []
        self._reachable: list[Extent] = []
        self._kept: list[Extent] = []
        self._fresh: set[int] = set()
        self._order = Order()
        self._lanes = defaultdict[int, Lanes](Lanes)

    def register(self, name: str, start: int, size_bytes: int, item_bytes: int) -> None:
        """Make [start, start + size_bytes) known as `name`; a start already known keeps its first extent."""
        if size_bytes > 0 and start not in self.extents:
            fresh = start in self._fresh
            self.extents[start] = Extent(name, start, start + size_bytes, item_bytes, fresh=fresh)

    def begin_launch(self, kernel: str, starts: Iterable[int]) -> None:
        """A new launch of `kernel` that was passed the tensors registered at `starts`."""
        self._launch += 1
        self._kernel = kernel
        self._starts = sorted({start for start in starts if start in self.extents})
        self._reachable = [self.extents[start] for start in self._starts]
        self._order.begin_launch()
        for extent in self._reachable:
            extent.atomics.clear()

    def keep(self, start: int) -> None:
        """The tensor at `start` outlives calls: from now on, note what is read of it before it is written."""
        extent = self.extents.get(start)
        if extent is not None:
            extent.relied = np.zeros(extent.stored.size, np.bool_)
            self._kept.append(extent)

    def by_torch(self, tensor: torch.Tensor, overwrites: bool) -> None:
        """A library call reads a tensor, or overwrites all of it."""
        for extent in self._kept:
            if extent.relied is not None and extent.start <= tensor.data_ptr() < extent.stop:
                fresh = ~extent.lanes(extent.stored, tensor)
                marks = extent.lanes(extent.stored if overwrites else extent.relied, tensor)
                marks[fresh] = True

    def allocated(self, tensor: torch.Tensor, empty: bool) -> None:
        """Torch has made a tensor, or changed all or part of one; `empty`: nobody has written to it yet."""
        start = tensor.untyped_storage().data_ptr()
        (self._fresh.add if empty else self._fresh.discard)(start)
        if start in self.extents:
            self.extents[start].fresh = empty

    def begin_program(self, number: int) -> None:
        self._order.begin_program(number)
        self._lanes.clear()

    def wait(self) -> None:
        """All lanes of the program have come this far."""
        self._lanes.clear()

    def load(self, addresses: Addresses, item_bytes: int, mask: Mask | None = None) -> tuple[str, bool]:
        """`mask`: which lanes of the block `addresses` belong to. Tells of a single value that one lane of
        this program has stored (then true), or another program (then false): loading it does no harm, but
        what is made of it may."""
        behind, own = "", True
        for extent, slots, lanes in self._split(addresses, item_bytes, "load"):
            if mask is not None:
                done = self._lanes[extent.start]
                if done.behind(addresses, mask):
                    behind = lanes_met(self._order.program, extent.at(int(addresses[0])), "loads", "stored")
                self._crossed(extent, done.load(addresses, mask), "loads", "stored")
            extent.load_issued += lanes * item_bytes
            extent.loaded[slots] = True
            extent.read(slots)
            self._check_written(extent, slots)
            raced = self._raced(extent, slots, extent.writer, "reads")
            if raced and mask is not None and mask.size == 1:
                behind, own = raced, False
                self.unused.add((self._kernel, extent.name))
            elif raced:
                self.note("race", raced)
            self._check_atomics(extent, slots, "reads")
            shared = self._unordered(extent.reader[slots], relying=False)  # reads need no order among them
            mark = np.where(shared, self._stamped(_SEVERAL, 0), self._stamp) if shared.any() else self._stamp
            extent.reader[slots] = mark
        return behind, own

    def store(
        self,
        addresses: Addresses,
        item_bytes: int,
        mask: Mask | None = None,
        unlike: Callable[[], Addresses] | None = None,
    ) -> None:
        """`unlike`: which of the addresses hold something else; who stores what stands there harms nobody."""
        for extent, slots, lanes in self._split(addresses, item_bytes, "store"):
            if mask is not None:
                met = self._lanes[extent.start].store(addresses, mask)
                if met.size and unlike is not None:
                    met = met[np.isin(met, unlike())]
                self._crossed(extent, int(met[0]) if met.size else None, "stores", "used")
            extent.store_issued += lanes * item_bytes
            extent.stored[slots] = True
            differ = slots
            if unlike is not None and self._foreign(extent.writer[slots]).any():
                differ, _ = extent.slots(extent.own(unlike()), item_bytes)
            self._check(extent, differ, extent.writer, "also writes")
            if (self._kernel, extent.name) not in self.unused:
                self._check(extent, slots, extent.reader, "overwrites what was read from")
            self._check_atomics(extent, slots, "overwrites")
            extent.writer[slots] = self._stamp

    def atomic(
        self,
        addresses: Addresses,
        item_bytes: int,
        mask: Mask | None = None,
        *,
        releases: bool = True,
        counts: bool = True,
    ) -> None:
        """An atomic may meet other programs' atomics at its address. `counts`: it adds, or the like; it is
        neither an exchange nor a compare-and-swap."""
        for extent, slots, lanes in self._split(addresses, item_bytes, "atomic"):
            if mask is not None and mask.size > 1:  # at one address all of them wait
                met = self._lanes[extent.start].atomic(addresses, mask)
                self._crossed(extent, met, "atomically changes", "used")
            extent.store_issued += lanes * item_bytes
            extent.load_issued += lanes * item_bytes
            extent.read(slots)
            if counts:
                self._check_written(extent, slots)
            extent.stored[slots] = True
            extent.loaded[slots] = True
            self._check(extent, slots, extent.writer, "atomically changes")
            extent.atomics.append((self._stamp, slots))
        if addresses.size == 1:
            self.wait()
            address = int(addresses[0])
            other = self._order.overtaken(address) if counts else None
            if other is not None:
                self.note(
                    "race",
                    f"program {self._order.program} counts at an address by whose count program {other} of "
                    "the same launch took the others' work for finished",
                )
            if releases:
                self._order.release(address)

    def expect_inside(self, addresses: Addresses, item_bytes: int) -> None:
        """Raises OutOfBoundsError before an atomic has changed what lies beside the launch's tensors."""
        list(self._split(addresses, item_bytes, "atomic"))

    def look(self, addresses: Addresses, *, counts: bool = True) -> None:
        """The program reads what an acquiring atomic at `addresses` has found there."""
        if addresses.size == 1:
            self._order.acquire(int(addresses[0]), counts)

    def holds(self, addresses: Addresses) -> npt.NDArray[np.bool_]:
        """Which addresses lie in a tensor of the launch."""
        inside = np.zeros(addresses.shape, np.bool_)
        for extent in self._reachable:
            inside |= (addresses >= extent.start) & (addresses < extent.stop)
        return inside

    def traffic(self) -> list[tuple[str, Traffic]]:
        """Per tensor that was touched, in the order of first sight; names may repeat."""
        touched = [one for one in self.extents.values() if one.load_issued or one.store_issued]
        return [(one.name, one.traffic()) for one in touched]

    @property
    def _stamp(self) -> int:
        return self._stamped(self._order.program, min(self._order.moment, _LAST_MOMENT))

    def _stamped(self, program: int, moment: int) -> int:
        return ((self._launch << _PROGRAM_BITS | program) << _MOMENT_BITS) | moment

    def _foreign(self, stamps: Slots) -> npt.NDArray[np.bool_]:
        """Which stamps are of this launch, the last one, but of another program."""
        found: npt.NDArray[np.bool_] = stamps >= self._stamped(0, 0)
        if found.any():
            found &= stamps >> _MOMENT_BITS != self._stamp >> _MOMENT_BITS
        return found

    def _unordered(self, stamps: Slots, relying: bool = True) -> npt.NDArray[np.bool_]:
        """Which stamps are of another program of this launch that need not have come before this one.

        `relying`: this program's work depends on the order of the others.
        """
        foreign = self._foreign(stamps)
        if self._order.learned and foreign.any():
            for stamp in np.unique(stamps[foreign]).tolist():
                program = (stamp >> _MOMENT_BITS) & _SEVERAL
                if self._order.knows(program, stamp & _LAST_MOMENT):
                    foreign &= stamps != stamp
                    if relying:
                        self._order.rely_on(program)
        return foreign

    def _check(self, extent: Extent, slots: Slots, stamps: Slots, verb: str) -> None:
        if raced := self._raced(extent, slots, stamps, verb):
            self.note("race", raced)

    def _raced(self, extent: Extent, slots: Slots, stamps: Slots, verb: str) -> str:  # the first, in words
        unordered = self._unordered(stamps[slots])
        slot = int(slots[unordered][0]) if unordered.any() else -1
        return self._programs_met(extent, slot, int(stamps[slot]), verb) if slot >= 0 else ""

    def _check_atomics(self, extent: Extent, slots: Slots, verb: str) -> None:
        """The same beside what other programs did with atomics."""
        for stamp, touched in extent.atomics:
            met = touched[np.isin(touched, slots)]
            if met.size and self._unordered(np.array([stamp])).any():
                self.note("race", self._programs_met(extent, int(met[0]), stamp, verb))
                return

    def _check_written(self, extent: Extent, slots: Slots) -> None:
        unwritten = slots[~extent.stored[slots]] if extent.fresh else slots[:0]
        if unwritten.size and not any(one.kind == "unwritten" for one in self.violations):
            where = f"{extent.name}[{int(unwritten[0])}]"
            self.note("unwritten", f"program {self._order.program} reads {where}, which nobody has written")

    def _crossed(self, extent: Extent, met: int | None, verb: str, did: str) -> None:
        if met is not None:
            self.note("race", lanes_met(self._order.program, extent.at(met), verb, did))

    def _programs_met(self, extent: Extent, slot: int, stamp: int, verb: str) -> str:
        other = (stamp >> _MOMENT_BITS) & _SEVERAL
        whose = "several programs" if other == _SEVERAL else f"program {other}"
        return programs_met(self._order.program, whose, f"{extent.name}[{slot}]", verb)

    def _split(self, addresses: Addresses, item_bytes: int, verb: str) -> Iterable[tuple[Extent, Slots, int]]:
        """Per tensor touched: its slots, and how many distinct addresses of it this instruction asks for."""
        if addresses.size == 0:
            return
        low, high = int(np.minimum.reduce(addresses)), int(np.maximum.reduce(addresses))
        place = bisect_right(self._starts, low) - 1
        if place >= 0 and high + item_bytes <= self._reachable[place].stop:
            extent = self._reachable[place]
            yield extent, *extent.slots(addresses, item_bytes)
            return
        places = np.searchsorted(np.array(self._starts, np.uint64), addresses, side="right") - 1
        for place in np.unique(places):
            chosen = addresses[places == place]
            stop = self._reachable[place].stop if place >= 0 else 0
            beyond = chosen + np.uint64(item_bytes) > stop
            if place < 0 or beyond.any():
                self._refuse(int(chosen[beyond][0]) if place >= 0 else int(chosen[0]), verb)
            extent = self._reachable[place]
            yield extent, *extent.slots(chosen, item_bytes)

    def _refuse(self, address: int, verb: str) -> None:
        nearest = min(self._reachable, key=lambda one: one.distance(address), default=None)
        where = "no tensor was passed to this launch"
        if nearest is not None:
            past = address >= nearest.stop
            side, near = ("past the end", nearest.stop) if past else ("before the start", nearest.start)
            where = f"{abs(address - near)} bytes {side} of {nearest.name}"
        article = "an" if verb == "atomic" else "a"
        detail = f"program {self._order.program}: {article} {verb} that is not masked off goes {where}"
        self.note("out-of-bounds", detail)
        raise OutOfBoundsError(detail)

    def note(self, kind: str, detail: str) -> None:
        if len(self.violations) < MOST:
            self.violations.append(Violation(kind, self._kernel, f"{self._kernel}: {detail}"))
