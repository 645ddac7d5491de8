"""Tiles of a region's matrix products as a device sees them: work, shared memory, programs at once."""

from __future__ import annotations

import math
from functools import cached_property

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import ProductWork, product_us
from .dtypes import BYTES
from .expr import Contract, Load
from .extent import product
from .loops import LoopAxis, Loops
from .lowering.factors import outside_products
from .schedule import Schedule
from .skeletons.factors import only_loaded
from .skeletons.parts import PRODUCTS

ADDRESS_REGISTERS = 50
"""What a thread holds besides its sums: addresses, masks, fragments of the factors."""

_MATRIX_UNITS = {"fp16": "tensor_fp16", "bf16": "tensor_bf16"}
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


def unit_of(dtype: str, dot: str, spec: DeviceSpec, *, cut: bool = False) -> str | None:
    """The key in `peak_tflops` of the unit that multiplies such factors, None where the device has none."""
    if dtype == "fp32" and dot == "bf16x6" and "tcgen05" in spec.features and not cut:
        return None  # Triton 3.7.1 compiles such a product for sm_100 to a kernel that does nothing
    if dtype == "fp32" and dot != "ieee":
        return _SPLIT_UNITS[dot] if _SPLIT_UNITS[dot] in spec.peak_tflops else None
    wanted = _MATRIX_UNITS.get(dtype, VECTOR_UNITS)
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
        batch, rows, cols, _ = self.shape
        return batch * math.ceil(rows / schedule.rows) * math.ceil(cols / schedule.block)

    def step_bytes(self, schedule: Schedule) -> int:
        """Factors that a program reads in a step, of all six products where parts of them are read."""
        left, right = self.factors
        item = PRODUCTS * BYTES["bf16"] if schedule.stretch else BYTES[self.dtype]
        return (left * schedule.rows + right * schedule.block) * schedule.depth * item

    def shared_bytes(self, schedule: Schedule) -> int:
        """Shared memory of a program: the steps under way; on AMD the next one waits in registers."""
        in_registers = 0 if "cp_async" in self.spec.features else 1
        step = self.step_bytes(schedule) // (PRODUCTS if schedule.stretch else 1)
        return max(1, schedule.num_stages - in_registers) * step

    def sums(self, schedule: Schedule) -> float:
        """Sums that a thread holds."""
        threads = schedule.num_warps * self.spec.warp_size
        held = 2 if schedule.stretch else len(self.products)
        return schedule.rows * schedule.block * held / threads

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
        times = self.multiplied(schedule.dot, cut=bool(schedule.stretch))
        flops = 2.0 * schedule.rows * schedule.block * schedule.depth * len(self.products) * times
        steps = math.ceil(self.shape[3] / schedule.depth)
        return ProductWork(flops, self.step_bytes(schedule), steps, rate, schedule.num_stages)

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
        if work is None or not resident or self.shared_bytes(schedule) > self.spec.shared_bytes_per_block:
            return math.inf
        return product_us(work, self.programs(schedule), resident, self.spec)

    def cut_bytes(self) -> float:
        """DRAM traffic of the kernel that cuts the factors into parts."""
        batch, rows, cols, depth = self.shape
        return float(CUT_BYTES * batch * depth * (rows + cols))

    def planned_bytes(self, schedule: Schedule) -> float:
        """DRAM traffic of the kernel: factors as their order lets them be found in the L2, the rest once."""
        region = self.loops.region
        outside = outside_products(region.builder, [s.value for s in region.stores])
        held = {n.name: n.meta["val"] for _, n in region.buffers}
        read = {n.buffer for i in outside if isinstance(n := region.builder.nodes[i], Load)}
        beside = sum(float(held[name].numel() * held[name].element_size()) for name in read)
        stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)
        return self.read_bytes(schedule) + beside + stores
