"""Tiles of a region's matrix products as a device sees them: work, shared memory, programs at once."""

from __future__ import annotations

import math
from functools import cached_property

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import L2_BYTES_PER_CLOCK, ProductWork, product_us
from ....profiling.roofline import LAUNCH_US
from .dtypes import BYTES, EIGHT_BITS
from .expr import Contract, Load, Tap
from .extent import product
from .loops import LoopAxis, Loops
from .lowering.factors import outside_products
from .schedule import Schedule, held_sides, holds_whole
from .skeletons.factors import only_loaded
from .skeletons.parts import PRODUCTS
from .skeletons.split_product import joined_tile
from .skeletons.zero_tiles import triangle_of

ADDRESS_REGISTERS = 50
"""What a thread holds besides its sums: addresses, masks, fragments of the factors."""

_MATRIX_UNITS = {"fp16": "tensor_fp16", "bf16": "tensor_bf16", "int8": "tensor_int8"}
_SPLIT_UNITS = {"tf32x3": "tensor_tf32", "bf16x6": "tensor_bf16"}
VECTOR_UNITS = "fp32"
"""Keys in `peak_tflops` of the units that multiply."""

SPLIT_PRODUCTS = {"tf32x3": 3, "bf16x6": 6}
"""Products of parts in the place of one of fp32 factors."""

SPLIT_REACHED = {"tf32x3": 0.47, "bf16x6": 0.40}
TF32_ACROSS_REACHED = 0.13
"""Share of the matrix units' peak that they reach, as factors are cut in registers on the way; TF32 units
take factors along the summed direction alone. 4096 x 4096 x 4096 on an H200 (Triton 3.6): three TF32 products
1.76 ms where both factors lie along it, else 6.2 ms; six of bf16 2.07 ms either way."""

CUT_REACHED = 0.73
"""The same for six of bf16 whose parts a kernel before has cut: 1.15 ms, and 0.08 ms to cut them."""

CUT_BYTES = 10
"""Read and written for each element that is cut: one of fp32, three of bf16."""

VECTOR_REACHED, VECTOR_ALONG_REACHED = 0.66, 0.33
"""The same for fp32 on the vector units of NVIDIA: 3.1 ms, and 6.3 ms where the right factor lies along the
summed direction, as a linear layer's weight does."""

LANES_REACHED = 0.5
"""The same for products that lanes add up: assumed, an address and a conversion for every multiply-add of the
narrowest tiles."""

GATHERED_PER_CLOCK = 0.5
"""Elements of windows that an SM reads in a clock, each with its place and its mask: 0.4 to 1.3 on an
H200 (conv2d of 256 x 3 x 224 x 224 by 11 x 11 taps 3.6 ms, transposed conv3d of 48 channels 33 ms)."""


def unit_of(dtype: str, dot: str, spec: DeviceSpec, *, cut: bool = False) -> str | None:
    """The key in `peak_tflops` of the unit that multiplies such factors, None where the device has none."""
    if dtype == "fp32" and dot == "bf16x6" and "tcgen05" in spec.features and not cut:
        return None  # Triton 3.7.1 compiles such a product for sm_100 to a kernel that does nothing
    if dtype == "fp32" and dot != "ieee":
        return _SPLIT_UNITS[dot] if _SPLIT_UNITS[dot] in spec.peak_tflops else None
    wanted = _MATRIX_UNITS.get(dtype, VECTOR_UNITS)
    if dtype in EIGHT_BITS:  # others widen them to fp16 on the way
        wanted = "tensor_fp8" if "fp8_ocp" in spec.features else "tensor_fp16"
    known = [key for key in (wanted, "tensor_fp16", VECTOR_UNITS) if key in spec.peak_tflops]
    return known[0] if known else None


class Tiles:
    """The matrix products of one region on one device."""

    def __init__(self, loops: Loops, spec: DeviceSpec) -> None:
        if loops.tiling is None:
            raise ValueError("a region without a matrix product has no tiles")
        self.loops, self.spec, self.tiling = loops, spec, loops.tiling

    @cached_property
    def products(self) -> list[Contract]:
        builder = self.loops.region.builder
        nodes = (builder.nodes[n] for n in builder.walk([s.value for s in self.loops.region.stores]))
        return [node for node in nodes if isinstance(node, Contract)]

    @property
    def dtype(self) -> str:
        """The type of the factors, the wider one where they differ."""
        builder = self.loops.region.builder
        found = {builder.dtype(n) for p in self.products for n in (p.left, p.right)}
        return max(found, key=lambda dtype: BYTES[dtype])

    @property
    def factors(self) -> tuple[int, int]:
        """How many different left and right factors a step reads."""
        return len({p.left for p in self.products}), len({p.right for p in self.products})

    def size(self, axes: tuple[LoopAxis, ...]) -> int:
        return product((a.size for a in axes), self.loops.one).full

    @cached_property
    def shape(self) -> tuple[int, int, int, int]:
        """(batch, rows, cols, depth) at full size."""
        t = self.tiling
        return self.size(t.batch), self.size(t.rows), self.size(t.cols), self.size(t.depth)

    def rate(self, schedule: Schedule) -> str | None:
        """The key of the unit that does the products, None where the device has none."""
        if schedule.lanes:
            return VECTOR_UNITS if VECTOR_UNITS in self.spec.peak_tflops else None
        return unit_of(self.dtype, schedule.dot, self.spec, cut=bool(schedule.stretch))

    @cached_property
    def along(self) -> tuple[bool, bool]:
        """Whether the left factors, and the right ones, lie in memory along the summed direction."""
        depth = self.tiling.depth[-1]
        builder = self.loops.region.builder
        sides = ([p.left for p in self.products], [p.right for p in self.products])
        left, right = (
            all(
                load is not None and self.loops.coefficient(builder.space.resolve(load.index), depth).is_one()
                for load in (only_loaded(builder, number) for number in side)
            )
            for side in sides
        )
        return left, right

    def multiplied(self, dot: str, *, cut: bool = False) -> float:
        """Times the work at the units' peak that products of this kind take; `cut` by a kernel before."""
        if self.dtype != "fp32" or self.spec.vendor != "nvidia":
            return 1.0
        if cut:
            return SPLIT_PRODUCTS[dot] / CUT_REACHED
        if dot == "ieee":
            return 1 / (VECTOR_ALONG_REACHED if self.along[1] else VECTOR_REACHED)
        reached = TF32_ACROSS_REACHED if dot == "tf32x3" and not all(self.along) else SPLIT_REACHED[dot]
        return SPLIT_PRODUCTS[dot] / reached

    def programs(self, schedule: Schedule) -> int:
        tiles = self.shape[0]
        sides = (self.tiling.kept_rows, self.tiling.kept_cols), (schedule.rows, schedule.block)
        for kept, block, whole in zip(*sides, held_sides(self.tiling), strict=True):
            tiles *= math.ceil(self.size(kept) * whole / block)
        return tiles * schedule.splits

    def step_bytes(self, schedule: Schedule) -> int:
        """Factors that a program reads in a step, of all six products where parts of them are read."""
        left, right = self.factors
        item = PRODUCTS * BYTES["bf16"] if schedule.stretch else BYTES[self.dtype]
        return (left * schedule.rows + right * schedule.block) * schedule.depth * item

    def shared_bytes(self, schedule: Schedule) -> int:
        """Shared memory of a program: the steps under way; on AMD the next one waits in registers.
        Where programs walk tiles, results leave beside the next steps: up to half a tile of them at once."""
        in_registers = 0 if "cp_async" in self.spec.features else 1
        step = self.step_bytes(schedule) // (PRODUCTS if schedule.stretch else 1)
        leaving = schedule.rows * schedule.block * BYTES[self.dtype] // 2 if schedule.persistent else 0
        return max(1, schedule.num_stages - in_registers) * step + leaving

    def sums(self, schedule: Schedule) -> float:
        """Sums that a thread holds."""
        threads = schedule.num_warps * self.spec.warp_size
        each = schedule.depth if schedule.lanes else 1 + self.in_short_sums
        held = 2 if schedule.stretch else len(self.products) * each
        return schedule.rows * schedule.block * held / threads

    @cached_property
    def in_short_sums(self) -> bool:
        """Whether a step's sums of 8-bit floats are kept in a shorter accumulator, beside those in fp32."""
        hopper = "wgmma" in self.spec.features
        return hopper and self.dtype in EIGHT_BITS and not all(p.fast for p in self.products)

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
        """What one program does; None where the device has no unit for it."""
        rate = self.rate(schedule)
        if rate is None:
            return None
        cut = bool(schedule.stretch)
        times = 1 / LANES_REACHED if schedule.lanes else self.multiplied(schedule.dot, cut=cut)
        flops = 2.0 * schedule.rows * schedule.block * schedule.depth * len(self.products) * times
        unit_flops_us = self.spec.peak_tflops[rate] * 1e6 / (self.spec.unit_count or 1)
        flops = max(flops, self.gathered_us(schedule) * unit_flops_us)
        share = self.share_of_sums(schedule)
        steps = math.ceil(self.shape[3] * share / (schedule.depth * schedule.splits))
        return ProductWork(flops, self.step_bytes(schedule), steps, rate, schedule.num_stages)

    def gathered_us(self, schedule: Schedule) -> float:
        """Time in which a unit reads the windows of one step, element by element; 0 without windows."""
        builder = self.loops.region.builder
        loads = (only_loaded(builder, p.right) for p in self.products)
        windows = sum(load is not None and not all(map(self._in_place, load.taps)) for load in loads)
        if not windows or self.spec.clock_mhz is None:
            return 0.0
        return windows * schedule.block * schedule.depth / (GATHERED_PER_CLOCK * self.spec.clock_mhz)

    def _in_place(self, tap: Tap) -> bool:
        """Whether a window of one element moves over its dimension as over any tensor."""
        place = self.loops.region.builder.space.resolve(tap.place)
        return place.constant.is_zero() and tap.step == 1 and [s.is_one() for _, s in place.terms] == [True]

    def share_of_sums(self, schedule: Schedule) -> float:
        """Share of the steps of all tiles that are taken, at least: tiles beyond a triangle take none."""
        if not schedule.triangle:
            return 1.0
        triangle, (_, rows, cols, _) = triangle_of(self.loops), self.shape
        places = range(0, rows, schedule.rows)
        shift = triangle.shift if triangle is not None else 0
        upper = triangle is not None and triangle.upper
        kept = (
            cols - max(0, row + shift) if upper else min(cols, row + schedule.rows + shift) for row in places
        )
        return min(1.0, sum(max(0, k) for k in kept) / (cols * len(places)))

    def factor_bytes(self) -> tuple[float, float]:
        """All left factors and all right ones of one batch entry."""
        _, rows, cols, depth = self.shape
        left, right = self.factors
        item = depth * BYTES[self.dtype]
        return float(left * rows * item), float(right * cols * item)

    def read_bytes(self, schedule: Schedule) -> float:
        """Factors read from DRAM. Tiles walk all columns for `group` rows of them, or as many as run at once:
        the right factors come anew for every such band unless they stay in the L2, the left ones once unless
        a band of them does not."""
        batch, rows, cols, _ = self.shape
        row_blocks, col_blocks = math.ceil(rows / schedule.rows), math.ceil(cols / schedule.block)
        at_once = max(1, self.resident(schedule)) * (self.spec.unit_count or 1)
        high = min(row_blocks, max(schedule.group, at_once // col_blocks, 1))
        left, right = self.factor_bytes()
        bands = 1 if right <= self.spec.l2_bytes / 2 else math.ceil(row_blocks / high)
        kept = left * high / row_blocks <= self.spec.l2_bytes / 2
        walks = 1 if kept else math.ceil(col_blocks * high / at_once)
        return batch * (left * walks + right * bands)

    def estimate_us(self, schedule: Schedule) -> float:
        """Time of all tiles by the model of `product_us`; infinite where not one fits on a unit."""
        work, resident = self.work(schedule), self.resident(schedule)
        if not holds_whole(self.tiling, schedule.rows, schedule.block):
            return math.inf
        if work is None or not resident or self.shared_bytes(schedule) > self.spec.shared_bytes_per_block:
            return math.inf
        return product_us(work, self.programs(schedule), resident, self.spec) + self.join_us(schedule)

    def join_programs(self, schedule: Schedule) -> int:
        """Programs of the kernel that joins the parts of split sums."""
        batch, rows, cols, _ = self.shape
        high, wide = joined_tile(schedule)
        return batch * math.ceil(rows / high) * math.ceil(cols / wide)

    def parts_bytes(self, schedule: Schedule) -> float:
        """Sums of the parts of split products, as they are written and read again; 0 where none is split."""
        batch, rows, cols, _ = self.shape
        each = float(batch * rows * cols * BYTES["fp32"] * len(self.products))
        return each * schedule.splits if schedule.splits > 1 else 0.0

    def join_us(self, schedule: Schedule) -> float:
        """Time to write the parts of split sums and to join them, in the L2 as far as they fit."""
        if schedule.splits == 1:
            return 0.0
        parts = self.parts_bytes(schedule)
        past = max(0.0, parts - self.spec.l2_bytes / 2)
        from_l2 = 2 * parts / (L2_BYTES_PER_CLOCK * (self.spec.unit_count or 1) * (self.spec.clock_mhz or 1))
        return LAUNCH_US + from_l2 + 2 * past / self.spec.dram_gb_s * 1e-3

    def cut_bytes(self) -> float:
        """DRAM traffic of the kernel that cuts the factors into parts."""
        batch, rows, cols, depth = self.shape
        return float(CUT_BYTES * batch * depth * (rows + cols))

    def planned_bytes(self, schedule: Schedule) -> tuple[float, ...]:
        """DRAM traffic of the kernels: factors as their order lets them be found in the L2, the rest once.

        Parts of split sums are written by the first and read by the second.
        """
        region = self.loops.region
        outside = outside_products(region.builder, [s.value for s in region.stores])
        held = {n.name: n.meta["val"] for _, n in region.buffers}
        read = {n.buffer for i in outside if isinstance(n := region.builder.nodes[i], Load)}
        beside = sum(float(held[name].numel() * held[name].element_size()) for name in read)
        stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)
        factors, parts = self.read_bytes(schedule), self.parts_bytes(schedule)
        return (factors + parts, parts + beside + stores) if parts else (factors + beside + stores,)
