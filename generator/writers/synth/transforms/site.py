"""Facts that several transforms ask of a region and a device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from .....hardware_specs.spec import DeviceSpec
from ..dtypes import BYTES
from ..emit.reduce import INDEX_HELPERS
from ..expr import Load, Reduce
from ..loops import Loops
from ..schedule import Schedule, next_power_of_two

ROOMY_REGISTERS = 128  # a thread that may hold fewer has one vector of each tensor under way
VECTOR_BYTES = 16
"""The widest global access of one lane: 128 bit (ld.global.v4.b32, global_load_dwordx4)."""


@dataclass(frozen=True)
class Site:
    """One region on one device."""

    loops: Loops
    spec: DeviceSpec

    @cached_property
    def streams(self) -> tuple[Load, ...]:
        """Loads that vary with every row and column: the traffic that counts."""
        b, whole = self.loops.region.builder, self.loops.rows.full * self.loops.columns.full
        found = []
        for number in b.walk([s.value for s in self.loops.region.stores]):
            node = b.nodes[number]
            if isinstance(node, Load):
                points = math.prod(b.space.sizes[a].full for a in b.free_axes(number))
                if points >= whole:
                    found.append(node)
        return tuple(found)

    @cached_property
    def element_bytes(self) -> int:
        """Bytes of the narrowest streamed element: it decides how many fill a vector access."""
        sizes = [BYTES[n.dtype] for n in self.streams] + [
            BYTES[s.dtype] for s in self.loops.region.stores if s.into is None
        ]
        return min(sizes, default=4)

    @cached_property
    def writes_rows(self) -> bool:
        """Whether a result varies along the row, so that a last pass writes it."""
        space = self.loops.region.builder.space
        inner = {leaf for axis in self.loops.reduced for leaf in axis.leaves}
        return any(inner & {a for a, _ in space.resolve(s.index).terms} for s in self.loops.region.stores)

    @property
    def vector(self) -> int:
        """Elements of one 128-bit access."""
        return VECTOR_BYTES // self.element_bytes

    @property
    def live_values(self) -> int:
        """Row-long values alive at once, for a register estimate: what is loaded and one result."""
        unrolled = 2 if self.loops.region.unrolled_axes else 1
        return (len(self.streams) + 1) * unrolled

    @cached_property
    def running_values(self) -> int:
        """Running values of a lane: a place runs beside its extremum. Where a thread held 16 of each, the
        compiler asked for one element after another: on an H200 argmax took 5.9 ms, the sum of the same
        tensor 2.3."""
        builder = self.loops.region.builder
        nodes = (builder.nodes[n] for n in builder.walk([s.value for s in self.loops.region.stores]))
        return 1 + any(isinstance(node, Reduce) and node.kind in INDEX_HELPERS for node in nodes)

    @property
    def columns(self) -> int:
        return self.loops.columns.full

    def walked(self, schedule: Schedule) -> int:
        """Elements that the innermost loop of a schedule runs over."""
        return self.loops.reduced[-1].size.full if schedule.nested else self.columns

    @property
    def padded_columns(self) -> int:
        """The power of two that holds a row in every trace."""
        return next_power_of_two(max(self.loops.columns.values))

    @property
    def max_warps(self) -> int:
        """Warps of the largest block."""
        return self.spec.max_threads_per_block // self.spec.warp_size

    @property
    def roomy_warps(self) -> int:
        """Warps of the largest block whose threads may hold two accesses of each tensor."""
        roomy = self.spec.registers_per_unit // (ROOMY_REGISTERS * self.spec.warp_size)
        return min(self.max_warps, 1 << (roomy.bit_length() - 1))

    def registers_per_thread(self, warps: int) -> int:
        """What one thread may hold when a block of that many warps must be resident."""
        return min(
            self.spec.max_registers_per_thread, self.spec.registers_per_unit // (warps * self.spec.warp_size)
        )

    def programs(self, schedule: Schedule) -> int:
        """Programs a schedule launches, parts of split rows not counted."""
        if schedule.layout in ("flat", "window"):
            return -(-self.loops.rows.full // schedule.block)
        if schedule.layout == "columns":
            width = self.loops.kept[-1].size.full
            return self.loops.rows.full // width * -(-width // schedule.block)
        return -(-self.loops.rows.full // schedule.rows)

    def accesses(self, warps: int) -> int:
        """Independent 128-bit accesses of each tensor a thread has under way: two where registers allow."""
        roomy = self.registers_per_thread(warps) >= ROOMY_REGISTERS
        return 2 if roomy and not self.loops.region.unrolled_axes else 1

    def step(self, schedule: Schedule, warps: int) -> int:
        """Elements of the tile in which every thread of so many warps moves whole vectors."""
        block = warps * self.spec.warp_size * self.vector * self.accesses(warps)
        return min(block, next_power_of_two(self.walked(schedule))) if schedule.layout == "rows" else block

    def warps_for(self, elements: int, per_thread: int) -> int:
        """The power of two of warps that leaves each thread at most `per_thread` of the tile's elements."""
        wanted = next_power_of_two(-(-elements // (self.spec.warp_size * per_thread)))
        return max(1, min(wanted, self.max_warps))
