"""The frame of a kernel: which program holds which rows and columns, and the loop over what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.tile import Tile
from ..emit.values import Values
from ..expr import Load, Position
from ..extent import product
from ..loops import Loops
from ..schedule import Schedule

INDEX_LIMIT = 2**31


@dataclass
class Frame:
    """A kernel with its index variables in place; `mask` guards a tile, `length` is the size of the reduced direction."""

    kernel: Kernel
    values: Values
    tile: Tile
    loops: Loops
    schedule: Schedule
    mask: str
    walker: str
    length: str
    step: str

    @contextmanager
    def walk(self, begin: str = "0", end: str = "") -> Iterator[None]:
        """A loop over the reduced direction; what it computes is forgotten after it."""
        stages = f", num_stages={self.schedule.num_stages}" if self.schedule.num_stages > 1 else ""
        end = end or self.length
        with self.kernel.block(f"for start in tl.range({begin}, {end}, {self.step}{stages}):"):
            self.step_index("start", end)
            with self.values.scope():
                yield

    def step_index(self, start: str, end: str = "") -> None:
        """Index and mask of one step over the reduced direction."""
        group = self.values.reduced
        assert group is not None
        group.decoded.clear()
        lanes = f"tl.arange(0, {self.step})"
        if self.tile.two_dimensional:
            lanes += "[:, None]" if self.schedule.layout == "columns" else "[None, :]"
        index = f"{start} + {lanes}" if start != "0" else lanes
        if spans_far(self.loops, group):
            index = f"({index}).to(tl.int64)"
        self.kernel.line(f"{group.variable} = {index}")
        bound = f"{group.variable} < {end or self.length}"
        outer = next((g for g in self.values.indexer.groups if g is not group and g.mask), None)
        if outer is None:
            self.kernel.line(f"{self.mask} = {bound}")
        else:
            self.kernel.line(f"{group.mask} = {bound}")
            self.kernel.line(f"{self.mask} = {outer.mask} & {group.mask}")
        prepare(self.values, group)


def prepare(values: Values, group: Group) -> None:
    """Decode the axes of a group once, before anything that needs them."""
    if len(group.axes) < 2:
        return
    region = values.loops.region
    for number in region.builder.walk([s.value for s in region.stores]):
        node = region.builder.nodes[number]
        if isinstance(node, Load | Position):
            values.indexer._terms(group, region.builder.space.resolve(node.index))
    for store in region.stores:
        values.indexer._terms(group, region.builder.space.resolve(store.index))


def spans_far(loops: Loops, group: Group) -> bool:
    """Whether the offsets along one group of axes can pass 2^31 elements at the traced size."""
    region = loops.region
    space = region.builder.space
    indices = [s.index for s in region.stores]
    indices += [n.index for n in region.builder.nodes if isinstance(n, Load | Position)]
    spans = (
        sum((a.size.full - 1) * loops.coefficient(space.resolve(i), a).full for a in group.axes) for i in indices
    )
    return max(spans, default=0) >= INDEX_LIMIT


def is_wide(loops: Loops) -> bool:
    """Whether any access can pass 2^31 elements at the traced size."""
    return loops.rows.full * loops.columns.full * _unrolled(loops) >= INDEX_LIMIT


def _unrolled(loops: Loops) -> int:
    space = loops.region.builder.space
    return product((space.sizes[a] for a in loops.region.unrolled_axes), loops.one).full


def frame(
    name: str, doc: str, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]
) -> Frame:
    kernel = Kernel(name, doc)
    build = {"flat": _flat, "rows": _rows, "columns": _columns}[schedule.layout]
    return build(kernel, loops, schedule, tensors, hints)


def _values(
    kernel: Kernel, loops: Loops, groups: list[Group], reduced: Group | None, tensors: Mapping[str, str],
    hints: Mapping[str, str], masks: dict[frozenset[str], str],
) -> Values:  # fmt: skip
    return Values(kernel, loops, Indexer(kernel, loops, groups), reduced, tensors, masks, hints)


def _flat(
    kernel: Kernel, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]
) -> Frame:
    group = Group("offsets", loops.kept, "mask", "AXIS")
    values = _values(kernel, loops, [group], None, tensors, hints, {frozenset({"offsets"}): "mask"})
    size = kernel.size("n_elements", loops.rows)
    kernel.constant("BLOCK", str(schedule.block))
    program = "tl.program_id(0)" + (".to(tl.int64)" if is_wide(loops) else "")
    kernel.line(f"offsets = {program} * BLOCK + tl.arange(0, BLOCK)")
    kernel.line(f"mask = offsets < {size}")
    prepare(values, group)
    kernel.grid = f"(triton.cdiv({size}, {{BLOCK}}),)"
    return Frame(kernel, values, Tile("BLOCK", 0, False, "BLOCK"), loops, schedule, "mask", "", "", "")


def _rows(
    kernel: Kernel, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]
) -> Frame:
    several = schedule.rows > 1
    rows = Group("row", loops.kept, "row_mask" if several else "", "ROW")
    cols = Group("cols", loops.reduced, "col_mask" if several else "mask", "COL")
    masks = {frozenset({"cols"}): "col_mask" if several else "mask"}
    if several:
        masks |= {frozenset({"row"}): "row_mask", frozenset({"row", "cols"}): "mask"}
    values = _values(kernel, loops, [rows, cols], cols, tensors, hints, masks)
    tile = Tile("ROWS, BLOCK", 1, True, "ROWS, 1") if several else Tile("BLOCK", 0, False, "")
    return Frame(kernel, values, tile, loops, schedule, "mask", "cols", "n_cols", "BLOCK")


def _columns(
    kernel: Kernel, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]
) -> Frame:
    batch = Group("batch", loops.kept[:-1], "", "BATCH")
    cols = Group("cols", loops.kept[-1:], "col_mask", "COL")
    rows = Group("rows", loops.reduced, "row_mask", "ROW")
    masks = {
        frozenset({"cols"}): "col_mask",
        frozenset({"rows"}): "row_mask",
        frozenset({"rows", "cols"}): "mask",
    }
    values = _values(kernel, loops, [batch, cols, rows], rows, tensors, hints, masks)
    tile = Tile("DEPTH, BLOCK", 0, True, "1, BLOCK")
    return Frame(kernel, values, tile, loops, schedule, "mask", "rows", "n_rows", "DEPTH")
