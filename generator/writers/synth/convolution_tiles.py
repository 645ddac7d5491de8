"""Tiles of a convolution over packed factors as a device sees them: work, shared memory, traffic."""

from __future__ import annotations

import math
from functools import cached_property

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import ProductWork, product_us
from ....profiling.roofline import LAUNCH_US
from .convolutions import Convolution, convolution_of
from .dtypes import BYTES
from .expr import Load
from .loops import Loops
from .lowering.factors import outside_products
from .schedule import Schedule
from .skeletons.parts import PARTS
from .skeletons.tap_sums import ORDER
from .tiles import ADDRESS_REGISTERS, CUT_REACHED, unit_of

PARTS_REACHED, POINTERS_REACHED = 0.5, 0.4
"""Share of the units' peak that tiles reach which threads bring: six products of parts, each of which Triton
lets end before the next, and one product. H200, Triton 3.6: transposed conv3d of 48 channels by 64 x 128 x
16, 4 warps, 5.7 ms; conv2d of 256 channels in bf16 by 128 x 128 x 64, 8 warps, 1.2 ms."""

BESIDE, BESIDE_BOXES = 4, 2
"""Steps that last as long as a program takes to begin and to leave its results."""

WGMMA_ROWS, WARP_LEVEL = 64, 1.6
"""Rows from which Hopper's matrix units are fed from shared memory; fed by registers they reach less."""


class ConvolutionTiles:
    """The convolution of one region on one device; three kernels, of which the last multiplies."""

    def __init__(self, loops: Loops, spec: DeviceSpec) -> None:
        conv = convolution_of(loops)
        if conv is None:
            raise ValueError("a region that is no convolution has no packed factors")
        self.loops, self.spec, self.conv = loops, spec, conv

    @property
    def dtype(self) -> str:
        return self.conv.image.dtype

    def item(self, schedule: Schedule) -> int:
        """Bytes of an element as packed, all parts of it."""
        return PARTS * BYTES["bf16"] if schedule.stretch else BYTES[self.dtype]

    def programs(self, schedule: Schedule) -> int:
        conv = self.conv
        places = conv.packed_places if schedule.descriptors else conv.places.full
        tiles = math.ceil(conv.rows.full / schedule.rows) * math.ceil(places / schedule.block)
        return conv.phases * conv.groups.full * tiles

    def steps(self, schedule: Schedule) -> int:
        """Steps of a program, of all phases on average."""
        blocks = math.ceil(self.conv.run / schedule.depth)
        return max(1, math.ceil(self.conv.taps_of_phases * blocks / self.conv.phases))

    def step_bytes(self, schedule: Schedule) -> int:
        """Factors that a program reads in a step: all parts, or for each product of boxes its own."""
        parts = (
            len(ORDER) * BYTES["bf16"] if schedule.stretch and schedule.descriptors else self.item(schedule)
        )
        return (schedule.rows + schedule.block) * schedule.depth * parts

    def shared_bytes(self, schedule: Schedule) -> int:
        """The steps under way; on AMD the next one waits in registers."""
        in_registers = 0 if "cp_async" in self.spec.features else 1
        products = len(ORDER) if schedule.stretch and schedule.descriptors else 1
        return max(1, schedule.num_stages - in_registers) * self.step_bytes(schedule) // products

    def sums(self, schedule: Schedule) -> float:
        """Sums that a thread holds, those of the stretch beside them."""
        held = 2 if schedule.stretch else 1
        return schedule.rows * schedule.block * held / (schedule.num_warps * self.spec.warp_size)

    def resident(self, schedule: Schedule) -> int:
        """Programs that a unit holds at once, by threads, shared memory and an estimate of registers."""
        spec, threads = self.spec, schedule.num_warps * self.spec.warp_size
        registers = min(int(self.sums(schedule)) + ADDRESS_REGISTERS, spec.max_registers_per_thread)
        return max(
            0,
            min(
                spec.max_warps_per_unit // schedule.num_warps,
                spec.registers_per_unit // (registers * threads),
                spec.shared_bytes_per_unit // (self.shared_bytes(schedule) + spec.shared_reserved_bytes),
                spec.max_blocks_per_unit,
            ),
        )

    def work(self, schedule: Schedule) -> ProductWork | None:
        """What one program of the product does; None where the device has no unit for it."""
        rate = unit_of(self.dtype, schedule.dot, self.spec, cut=bool(schedule.stretch))
        if rate is None:
            return None
        boxes = schedule.descriptors
        times = 1.0 if boxes else 1 / POINTERS_REACHED
        if schedule.stretch:
            times = len(ORDER) / (CUT_REACHED if boxes else PARTS_REACHED)
        if "wgmma" in self.spec.features and schedule.rows < WGMMA_ROWS:
            times *= WARP_LEVEL
        flops = 2.0 * schedule.rows * schedule.block * schedule.depth * times
        turns = len(ORDER) if boxes and schedule.stretch else 1
        steps = turns * (self.steps(schedule) + (BESIDE_BOXES if boxes else BESIDE))
        moved = self.step_bytes(schedule) / turns
        return ProductWork(flops / turns, moved, steps, rate, schedule.num_stages)

    def estimate_us(self, schedule: Schedule) -> float:
        """Time of all three kernels; infinite where not one tile fits on a unit."""
        work, resident = self.work(schedule), self.resident(schedule)
        if work is None or not resident or self.shared_bytes(schedule) > self.spec.shared_bytes_per_block:
            return math.inf
        packed_us = sum(self.packing_bytes(schedule)) / self.spec.dram_gb_s * 1e-3 + 2 * LAUNCH_US
        return product_us(work, self.programs(schedule), resident, self.spec) + packed_us

    def packed_bytes(self, schedule: Schedule) -> tuple[float, float]:
        """Of the tensor and of the weight, as the last kernel reads them."""
        conv, item = self.conv, self.item(schedule)
        row = conv.taps * math.ceil(conv.run / schedule.depth) * schedule.depth
        return float(conv.packed_elements * item), float(conv.groups.full * conv.rows.full * row * item)

    def packing_bytes(self, schedule: Schedule) -> tuple[float, float]:
        """What the kernels before move, for the tensor and for the weight."""
        held = {name: node.meta["val"] for name, node in self.loops.region.buffers}
        read = (held[load.buffer].numel() * BYTES[load.dtype] for load in (self.conv.image, self.conv.weight))
        image, weight = (r + w for r, w in zip(read, self.packed_bytes(schedule), strict=True))
        return float(image), float(weight)

    def planned_bytes(self, schedule: Schedule) -> tuple[float, ...]:
        """DRAM traffic of the kernels; what is packed is read once, as tiles of like places run together."""
        region = self.loops.region
        outside = outside_products(region.builder, [s.value for s in region.stores])
        held = {name: node.meta["val"] for name, node in region.buffers}
        read = {n.buffer for i in outside if isinstance(n := region.builder.nodes[i], Load)}
        beside = sum(float(held[name].numel() * held[name].element_size()) for name in read)
        stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)
        return (*self.packing_bytes(schedule), sum(self.packed_bytes(schedule)) + beside + stores)

    @cached_property
    def described(self) -> str:
        """What is packed, in words."""
        conv: Convolution = self.conv
        words = "taps of each phase of results apart" if conv.phases > 1 else "padding in place"
        along = ", neighbours along the width with them" if conv.runs else ""
        return f"channels side by side{along}, {words}"
