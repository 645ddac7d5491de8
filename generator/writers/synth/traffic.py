"""The DRAM traffic and arithmetic a schedule is planned to cause at full size, kernel by kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product as iproduct

from ....hardware_specs.spec import DeviceSpec
from .attention_tiles import AttentionTiles
from .convolution_tiles import ConvolutionTiles
from .dtypes import BYTES
from .expr import Apply, Attend, Contract, Load, Reduce, Scan
from .extent import product
from .loops import Loops
from .math import FUNCTIONS
from .schedule import Schedule
from .stages import inputs_of, plan_stages
from .tiles import Tiles


def planned_bytes(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> tuple[float, ...]:
    """Bytes each kernel of the region moves, in launch order.

    A tensor as large as the iteration space is moved once per pass; a smaller one (weights, row statistics)
    is read from DRAM once per kernel and from L2 after that. Factors of matrix products: see `Tiles`.
    """
    region, b = loops.region, loops.region.builder
    stores = sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)
    everything = [s.value for s in region.stores]
    if loops.tiling is not None and loops.tiling.inner:
        return (AttentionTiles(loops, spec).planned_bytes(),)
    if schedule.layout == "convolution":
        return ConvolutionTiles(loops, spec).planned_bytes(schedule)
    if loops.tiling is not None:
        tiles = Tiles(loops, spec)
        cut: tuple[float, ...] = (sum(tiles.factor_bytes()),) if schedule.marks else ()
        cut += (tiles.cut_bytes(),) if schedule.stretch else ()
        return (*cut, *tiles.planned_bytes(schedule))
    if not loops.reduced or schedule.one_tile or loops.windowed:
        return (_read_bytes(loops, [everything]) + stores,)
    stages = plan_stages(
        region, online_softmax=schedule.online_softmax, shifted_moments=schedule.shifted_moments
    )
    passes = [[root for item in stage for root in inputs_of(b, item)] for stage in stages]
    inner = {leaf for a in loops.reduced for leaf in a.leaves}
    last = [s.value for s in region.stores if inner & {a for a, _ in b.space.resolve(s.index).terms}]
    if schedule.splits > 1:
        parts = 8.0 * loops.rows.full * schedule.splits
        read = [_read_bytes(loops, [p]) + parts for p in passes]
        return (*read, (_read_bytes(loops, [last]) if last else 0.0) + stores + parts)
    return (_read_bytes(loops, [*passes, *([last] if last else [])]) + stores,)


def tensor_bytes(loops: Loops) -> float:
    """Bytes of the tensors that the region reads and writes, each once: what no schedule of it can avoid."""
    region = loops.region
    held = {name: node.meta["val"] for name, node in region.buffers}
    read = sum(float(value.numel()) * float(value.element_size()) for value in held.values())
    return read + sum(float(s.node.meta["val"].numel()) * BYTES[s.dtype] for s in region.stores)


def planned_flops(loops: Loops) -> float:
    """Arithmetic of the region, each value computed once."""
    b = loops.region.builder
    space, total = b.space, 0.0
    for number in b.walk([s.value for s in loops.region.stores]):
        node = b.nodes[number]
        points = product((space.sizes[a] for a in b.free_axes(number)), space.one).full
        if isinstance(node, Apply):
            total += FUNCTIONS[node.function].flops * points
        elif isinstance(node, Scan):
            total += points
        elif isinstance(node, Reduce):
            total += points * product((space.sizes[a] for a in space.leaves(node.axes)), space.one).full
        elif isinstance(node, Contract | Attend):
            total += 2 * points * product((space.sizes[a] for a in space.leaves(node.axes)), space.one).full
    return total


def _read_bytes(loops: Loops, passes: Iterable[list[int]]) -> float:
    """Every pass reads its large tensors again; the small ones are read once."""
    b, whole = loops.region.builder, loops.rows.full * loops.columns.full
    held = {name: float(node.meta["val"].numel()) for name, node in loops.region.buffers}
    small: dict[str, float] = {}
    total = 0.0
    for roots in passes:
        seen: set[tuple[object, ...]] = set()
        for number in _reached(loops, roots):
            node = b.nodes[number]
            if not isinstance(node, Load):
                continue
            if node.taps or node.gathered:  # windows overlap in the cache, and so do rows that are asked for
                points = product((b.space.sizes[a] for a in b.free_axes(number)), b.space.one).full
                read = min(points, held[node.buffer]) if node.gathered else held[node.buffer]
                small[node.buffer] = read * BYTES[node.dtype]
                continue
            for key, points in _touched(loops, node):
                if points < whole:
                    small[node.buffer] = held[node.buffer] * BYTES[node.dtype]
                elif key not in seen:
                    seen.add(key)
                    total += points * BYTES[node.dtype]
    return total + sum(small.values())


def _touched(loops: Loops, node: Load) -> Iterator[tuple[tuple[object, ...], int]]:
    """The address sets of a load, one per position on the unrolled axes: equal keys are one access."""
    space, unrolled = loops.region.builder.space, set(loops.region.unrolled_axes)
    index = space.resolve(node.index)
    walked = tuple(t for t in index.terms if t[0] not in unrolled)
    points = product((space.sizes[a] for a, _ in walked), space.one).full
    chosen = [(a, c) for a, c in index.terms if a in unrolled]
    for at in iproduct(*(range(space.sizes[a].full) for a, _ in chosen)):
        offset = index.constant
        for (_, coefficient), i in zip(chosen, at, strict=True):
            offset = offset + coefficient * i
        yield (node.buffer, walked, offset), points


def _reached(loops: Loops, roots: list[int]) -> Iterable[int]:
    """Nodes a pass computes: reductions below it are done already."""
    b = loops.region.builder
    seen: set[int] = set()
    pending = list(roots)
    one_pass = len(roots) == len(loops.region.stores) and roots == [s.value for s in loops.region.stores]
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        yield number
        if isinstance(b.nodes[number], Reduce) and not one_pass:
            continue
        pending.extend(b.children(number))
