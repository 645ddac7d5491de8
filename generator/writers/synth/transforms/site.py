"""Facts that several transforms ask of a region and a device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from .....hardware_specs.spec import DeviceSpec
from ..dtypes import BYTES
from ..expr import Load
from ..loops import Loops
from ..schedule import Schedule, next_power_of_two

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

    @property
    def vector(self) -> int:
        """Elements of one 128-bit access."""
        return VECTOR_BYTES // self.element_bytes

    @property
    def live_values(self) -> int:
        """Row-long values alive at once, for a register estimate: what is loaded and one result."""
        unrolled = 2 if self.loops.region.unrolled_axes else 1
        return (len(self.streams) + 1) * unrolled

    @property
    def columns(self) -> int:
        return self.loops.columns.full

    def walked(self, schedule: Schedule) -> int:
        """Elements that the innermost loop of a schedule runs over."""
        return self.loops.reduced[-1].size.full if schedule.nested else self.columns

    @property
    def padded_columns(self) -> int:
        return next_power_of_two(self.columns)

    @property
    def max_warps(self) -> int:
        """Warps of the largest block."""
        return self.spec.max_threads_per_block // self.spec.warp_size

    def registers_per_thread(self, warps: int) -> int:
        """What one thread may hold when a block of that many warps must be resident."""
        return min(
            self.spec.max_registers_per_thread, self.spec.registers_per_unit // (warps * self.spec.warp_size)
        )

    def programs(self, schedule: Schedule) -> int:
        """Programs a schedule launches, parts of split rows not counted."""
        if schedule.layout == "flat":
            return -(-self.loops.rows.full // schedule.block)
        if schedule.layout == "columns":
            width = self.loops.kept[-1].size.full
            return self.loops.rows.full // width * -(-width // schedule.block)
        return -(-self.loops.rows.full // schedule.rows)

    def warps_for(self, elements: int, per_thread: int) -> int:
        """The power of two of warps that leaves each thread at most `per_thread` of the tile's elements."""
        wanted = next_power_of_two(-(-elements // (self.spec.warp_size * per_thread)))
        return max(1, min(wanted, self.max_warps))
