"""Tiles of an attention as a device sees them: work of a step, shared memory, programs at once, traffic."""

from __future__ import annotations

import math
from functools import cached_property

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import ProductWork, product_us
from .dtypes import BYTES
from .extent import product
from .loops import LoopAxis, Loops
from .lowering.attending import only_product
from .schedule import Schedule
from .skeletons.scores import attention_of, looks_back_only
from .tiles import ADDRESS_REGISTERS, unit_of

SCORE_OPERATIONS = 8
"""Operations on a score beside the products: scale, mask, maximum, subtract, exponential, sum, cast."""

BESIDE_ALONE, BESIDE_SHARED = 1.54, 0.18
"""Times the work beside the products that shows: the only program of a unit waits for it, several do it while
others multiply. By both the model is within 23 % of twelve tiles of causal attention (bf16, 8 x 16 heads of
2048 x 128, brought by descriptors, H200, Triton 3.6) and ranks the fastest first: 64 queries by 64 keys, 4
warps, 3 steps under way, 303 us; the slowest took 492."""


class AttentionTiles:
    """The attention of one region on one device."""

    def __init__(self, loops: Loops, spec: DeviceSpec) -> None:
        if loops.tiling is None or not loops.tiling.inner:
            raise ValueError("a region without an attention")
        self.loops, self.spec, self.tiling = loops, spec, loops.tiling

    @cached_property
    def dtype(self) -> str:
        """The type of the factors, the widest where they differ."""
        b = self.loops.region.builder
        _, node = attention_of(self.loops)
        inner = only_product(b, node)
        return max((b.dtype(n) for n in (inner.left, inner.right, node.values)), key=BYTES.__getitem__)

    def size(self, axes: tuple[LoopAxis, ...]) -> int:
        return product((a.size for a in axes), self.loops.one).full

    @cached_property
    def shape(self) -> tuple[int, int, int, int, int]:
        """(batch, rows, cols, keys, inner) at full size."""
        t = self.tiling
        batch, rows, cols, keys, inner = (self.size(a) for a in (t.batch, t.rows, t.cols, t.depth, t.inner))
        return batch, rows, cols, keys, inner

    def programs(self, schedule: Schedule) -> int:
        batch, rows, cols, _, _ = self.shape
        return batch * math.ceil(rows / schedule.rows) * math.ceil(cols / schedule.block)

    def summed(self, schedule: Schedule) -> int:
        """Elements that a score is summed over, as they are multiplied."""
        return math.ceil(self.shape[4] / schedule.inner) * schedule.inner

    def shared_bytes(self, schedule: Schedule) -> int:
        """The queries where they are held, and the keys and values of the steps under way."""
        stages = max(1, schedule.num_stages - (0 if "cp_async" in self.spec.features else 1))
        held = schedule.rows * schedule.inner if schedule.one_tile else 0
        step = schedule.depth * (schedule.inner + schedule.block)
        return (held + stages * step) * BYTES[self.dtype]

    def sums(self, schedule: Schedule) -> float:
        """Sums and scores that a thread holds."""
        threads = schedule.num_warps * self.spec.warp_size
        return schedule.rows * (schedule.block + 2 * schedule.depth) / threads

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
        """What one program does; None where the device has no unit for it.

        A buffer is free once asynchronous products have read it: of two, none is filled meanwhile.
        """
        rate = unit_of(self.dtype, schedule.dot, self.spec)
        if rate is None:
            return None
        summed, depth, rows = self.summed(schedule), schedule.depth, schedule.rows
        flops = 2.0 * rows * depth * (summed + schedule.block)
        again = 0 if schedule.one_tile else rows * summed
        moved = (depth * (summed + schedule.block) + again) * BYTES[self.dtype]
        steps = math.ceil(self.shape[3] / depth)
        if self.halved:
            steps = math.ceil(steps / 2)
        late = "wgmma" in self.spec.features and schedule.num_stages == 2
        return ProductWork(flops, moved, steps, rate, 1 if late else schedule.num_stages)

    @cached_property
    def halved(self) -> bool:
        """Whether only keys up to a query's own place are visited."""
        return looks_back_only(self.loops)

    def estimate_us(self, schedule: Schedule) -> float:
        """Time of all tiles by the model of `product_us`; infinite where not one fits on a unit."""
        work, resident = self.work(schedule), self.resident(schedule)
        if work is None or not resident or self.shared_bytes(schedule) > self.spec.shared_bytes_per_block:
            return math.inf
        products = product_us(work, self.programs(schedule), resident, self.spec)
        beside = BESIDE_ALONE if resident == 1 else BESIDE_SHARED
        return products + beside * self._beside_us(schedule, work)

    def _beside_us(self, schedule: Schedule, work: ProductWork) -> float:
        """What is done to scores and sums between the products, on the ordinary pipes, in every step."""
        operations = schedule.rows * (schedule.block + SCORE_OPERATIONS * schedule.depth)
        rate = self.spec.peak_tflops.get("fp32", math.inf) / 2  # an operation is half of a multiply-add
        return self.programs(schedule) * work.steps * operations / rate * 1e-6

    def planned_bytes(self) -> float:
        """DRAM traffic: every tensor once, as the keys and values of a head stay in the L2."""
        region = self.loops.region
        read = sum(float(n.meta["val"].numel() * n.meta["val"].element_size()) for _, n in region.buffers)
        return read + sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)

    def flops(self) -> float:
        """Multiplications and additions of both products, each value computed once."""
        batch, rows, cols, keys, inner = self.shape
        return 2.0 * batch * rows * keys * (cols + inner)
