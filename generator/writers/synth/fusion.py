"""Chooses between one kernel and two by estimated time, where the graph may be cut either way.

The partition fuses whatever shares an index space. That is worse where a factor of a matrix product is
computed anew for every tile, where a row that does not stay on chip is made again for every pass, or where
two products share the registers of one kernel. Such regions are cut where both parts together are estimated
to be faster.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import fx

from ....hardware_specs.spec import DeviceSpec
from ....profiling.product_time import OVERLAP, ProductWork
from ....profiling.roofline import LAUNCH_US, estimate_us
from ....profiling.trace import TracedOp
from .builder import Builder
from .convolutions import convolution_of
from .expr import Apply, Reduce
from .extent import product
from .foreseen import foreseen
from .loops import Loops, find_loops
from .math import FUNCTIONS
from .partition import Apart
from .program import Program, read_program
from .rewrite import op_name
from .schedule import Choice, Schedule, start_schedule
from .space import CannotFuseError
from .splitting import Splitter
from .stages import plan_stages
from .tiles import Tiles
from .tilings import tiles_of, works_of
from .traffic import planned_bytes, planned_flops, tensor_bytes
from .transforms import split_precision
from .transforms.registry import TRANSFORMS
from .transforms.site import Site

EARNS = 0.10
"""What two kernels must save over one: the estimate knows no dependent launch and no cold start."""

MOST_ROUNDS = 3
"""Cuts one after another: a part may be cut again."""


@dataclass(frozen=True)
class Cut:
    """Two parts of a region that are faster apart: names that must not meet, and both estimates in us."""

    at: str
    pairs: frozenset[frozenset[str]]
    one_us: float
    two_us: float
    why: str

    @property
    def choice(self) -> Choice:
        told = f"{self.why}; one kernel would take about {self.one_us:.0f} us, two {self.two_us:.0f} us"
        return Choice("kernels", f"two kernels at {self.at}", f"{told} (estimated)")


def read_fused(traced: Sequence[TracedOp], spec: DeviceSpec) -> tuple[Program, tuple[Cut, ...]]:
    """The operator cut where that is estimated to be faster on the device, and the cuts that were made."""
    program, cuts = read_program(traced, spec=spec), list[Cut]()
    for _ in range(MOST_ROUNDS):
        found = _cuts(program, spec)
        if not found:
            break
        cuts += found
        apart: Apart = frozenset().union(*(cut.pairs for cut in cuts))
        program = read_program(traced, apart, spec)
    return program, tuple(cuts)


def _cuts(program: Program, spec: DeviceSpec) -> list[Cut]:
    """The best cut of each region that has one; of regions that are alike, one is weighed."""
    splitter = Splitter(program.traces, {call.node.name: call.reason for call in program.left_to_torch})
    whole: set[tuple[object, ...]] = set()
    found: list[Cut] = []
    for loops in program.loops.values():
        kind = _kind(loops)
        if kind in whole or not _repeats(loops, spec):
            continue
        if (cut := best_cut(splitter, loops, spec)) is None:
            whole.add(kind)
        else:
            found.append(cut)
    return found


def _kind(loops: Loops) -> tuple[object, ...]:
    """What a region does and to which shapes, whatever its tensors are called."""
    region = loops.region
    read = tuple((node.meta["val"].shape, node.meta["val"].dtype) for _, node in region.buffers)
    made = tuple((op_name(n), getattr(n.meta.get("val"), "shape", None)) for n in region.nodes)
    return (read, made)


def _repeats(loops: Loops, spec: DeviceSpec) -> bool:
    """Whether anything is computed more than once, or shares registers: all that a cut can mend."""
    if loops.tiling is not None:
        tiles = None if loops.tiling.inner else Tiles(loops, spec)
        return tiles is not None and (
            len(tiles.products) > 1
            or tiles.tiling.holds
            or any(_operations(loops.region.builder, n) for p in tiles.products for n in (p.left, p.right))
        )
    return bool(loops.reduced) and _below_reductions(loops) > 0


def best_cut(splitter: Splitter, loops: Loops, spec: DeviceSpec) -> Cut | None:
    """The cut that saves most, None where none saves enough."""
    members = splitter.members(loops.region)
    heavy = [node for node in members if len(members) > 1 and _is_heavy(splitter, node)]
    if not heavy:
        return None
    holds = loops.tiling is not None and loops.tiling.holds
    timed = split_us if holds else region_us
    one_us, found = timed(loops, spec), list[Cut]()
    for node in heavy:
        for first, second in _splits(splitter, members, node):
            before, behind = _regions(splitter, first), _regions(splitter, second)
            if not before or not behind:
                continue
            parts = (*before, *behind)
            two_us = sum(timed(part, spec) for part in parts)
            if two_us < (1 - EARNS) * one_us:
                pairs = frozenset(frozenset((a.name, b.name)) for a in first for b in second)
                found.append(Cut(op_name(node), pairs, one_us, two_us, _reason(loops, spec)))
    return min(found, key=lambda cut: cut.two_us, default=None)


def _is_heavy(splitter: Splitter, node: fx.Node) -> bool:
    """Whether a node by itself is a product, a reduction or a running sum."""
    try:
        loops = find_loops(splitter.lowered(frozenset({node})))
    except CannotFuseError:
        return False
    return loops.tiling is not None or bool(loops.reduced)


def _splits(
    splitter: Splitter, members: frozenset[fx.Node], node: fx.Node
) -> Iterator[tuple[frozenset[fx.Node], frozenset[fx.Node]]]:
    """What comes before a node apart from it and what follows; the node with what is for it alone apart."""
    after = splitter.following(members, node)
    before = members - after
    if before:
        yield before, after
    own = frozenset({node} | splitter.feeding_only(members, node))
    if own != members and own != before:
        yield own, members - own


def _regions(splitter: Splitter, part: frozenset[fx.Node]) -> tuple[Loops, ...]:
    """A part as one region, or as two where what it reduces shares no loop; none where it is neither."""
    behind = (splitter.following(part, node) for node in sorted(part, key=lambda node: node.name))
    for halves in ((part,), *((part - after, after) for after in behind)):
        try:
            return tuple(find_loops(splitter.lowered(half)) for half in halves if half)
        except CannotFuseError:
            continue
    return ()


def region_us(loops: Loops, spec: DeviceSpec) -> float:
    """An ESTIMATE of a region's time under the best schedule that is foreseen for it."""
    return min(_schedules(loops, spec))


def split_us(loops: Loops, spec: DeviceSpec) -> float:
    """The same where fp32 products are made of parts, by the shares of the units' peaks that these reached:
    a tile that holds what is reduced cannot have its factors cut before. Windows are as slow as they are
    gathered, whatever multiplies them."""
    site, estimate = Site(loops, spec), region_us(loops, spec)
    if loops.tiling is None or loops.tiling.inner or convolution_of(loops) is not None:
        return estimate
    start, tiles = start_schedule(loops), Tiles(loops, spec)
    if tiles.gathered_us(start):
        return estimate
    split = split_precision.apply(start, site)
    if isinstance(split, str) or (unit := tiles.rate(split)) is None:
        return estimate
    cut = bool(split.stretch)
    flops = 2.0 * math.prod(tiles.shape) * len(tiles.products)
    multiplying = flops * tiles.multiplied(split.dot, cut=cut) / (spec.peak_tflops[unit] * 1e6)
    cutting = tiles.cut_bytes() / spec.dram_gb_s * 1e-3 + LAUNCH_US if cut else 0.0
    return max(multiplying, tensor_bytes(loops) / spec.dram_gb_s * 1e-3) + cutting


def _schedules(loops: Loops, spec: DeviceSpec) -> Iterator[float]:
    """Estimates on the way from the plain schedule up, by any transform that is foreseen to help."""
    site, schedule = Site(loops, spec), start_schedule(loops)
    best = schedule_us(loops, schedule, spec)
    yield best
    for _ in range(2):
        for transform in TRANSFORMS.values():
            changed = transform(schedule, site)
            if isinstance(changed, str):
                continue
            if (us := schedule_us(loops, changed, spec)) < best:
                schedule, best = changed, us
                yield us


def schedule_us(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> float:
    """The estimate that ranks schedules, with what is computed more than once beside it: after it where a
    unit holds one program of products, whose warps make a factor before they multiply it."""
    kernels = foreseen(loops, schedule, spec)
    works: list[ProductWork | None] = [None] * len(kernels)
    overlap = OVERLAP
    if loops.tiling is not None:
        tiles = tiles_of(loops, schedule, spec)
        if not math.isfinite(tiles.estimate_us(schedule)):
            return math.inf
        works = list(works_of(loops, schedule, spec))
        overlap = OVERLAP if tiles.resident(schedule) > 1 else 1.0
    moved = list(planned_bytes(loops, schedule, spec))
    total = estimate_us(moved, planned_flops(loops), kernels, spec, products=works).total_us
    again = again_operations(loops, schedule, spec) / (spec.peak_tflops["fp32"] / 2) * 1e-6
    return float((total**overlap + again**overlap) ** (1 / overlap))


def again_operations(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> float:
    """Pointwise operations inside factors for every tile, and those of a row for every further pass."""
    if loops.tiling is not None:
        return 0.0 if loops.tiling.inner else _in_factors(Tiles(loops, spec), schedule)
    if not loops.reduced or schedule.one_tile or loops.windowed:
        return 0.0
    stages = plan_stages(
        loops.region, online_softmax=schedule.online_softmax, shifted_moments=schedule.shifted_moments
    )
    return max(0, len(stages) - 1) * _below_reductions(loops)


def _in_factors(tiles: Tiles, schedule: Schedule) -> float:
    """Left factors are made for every tile of columns, right ones for every tile of rows."""
    builder, (batch, rows, cols, depth) = tiles.loops.region.builder, tiles.shape
    row_tiles, col_tiles = math.ceil(rows / schedule.rows), math.ceil(cols / schedule.block)
    total = 0.0
    for factor, elements, times in (
        *((left, batch * rows * depth, col_tiles) for left in {p.left for p in tiles.products}),
        *((right, batch * depth * cols, row_tiles) for right in {p.right for p in tiles.products}),
    ):
        total += elements * times * _operations(builder, factor)
    return total


def _operations(builder: Builder, root: int) -> int:
    """Of one element of a factor."""
    nodes = (builder.nodes[n] for n in builder.walk([root]))
    return sum(FUNCTIONS[node.function].flops for node in nodes if isinstance(node, Apply))


def _below_reductions(loops: Loops) -> float:
    """Pointwise operations that the reductions of a row need, each made once."""
    builder, space = loops.region.builder, loops.region.builder.space
    everything = builder.walk([s.value for s in loops.region.stores])
    reduced = [n.arg for i in everything if isinstance(n := builder.nodes[i], Reduce)]
    total = 0.0
    for number in builder.walk(reduced):
        node = builder.nodes[number]
        if isinstance(node, Apply):
            points = product((space.sizes[a] for a in builder.free_axes(number)), space.one).full
            total += float(FUNCTIONS[node.function].flops * points)
    return total


def _reason(loops: Loops, spec: DeviceSpec) -> str:
    if loops.tiling is not None and not loops.tiling.inner and len(Tiles(loops, spec).products) > 1:
        return "two products would share the registers of a kernel"
    if loops.tiling is not None and loops.tiling.holds:
        return "tiles that hold what is reduced of them share fewer loads, or multiply in a slower way"
    if loops.tiling is not None:
        return "what stands in a factor would be computed for every tile"
    return "the row would be read and made again for every pass"
