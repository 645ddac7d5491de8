"""The frame of a kernel: which program holds which rows and columns, and the loop over what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..emit.index import Group, Indexer
from ..emit.kernel import Kernel
from ..emit.tile import Tile
from ..emit.values import Values
from ..expr import Load, Position, indices
from ..loops import Loops
from ..schedule import Schedule
from .job import Job

INDEX_LIMIT = 2**31


@dataclass
class Frame:
    """A kernel with its index variables in place.

    `mask` guards a tile; `length` and `step` are the size and the step of the reduced direction.
    """

    kernel: Kernel
    values: Values
    tile: Tile
    loops: Loops
    schedule: Schedule
    mask: str
    length: str
    step: str

    @contextmanager
    def walk(
        self, roots: list[int], begin: str = "0", end: str = "", *, back: bool = False
    ) -> Iterator[None]:
        """A loop over the reduced direction, or two; what it computes is forgotten after it.

        `roots` are what the body needs: a nest computes between its loops what only the outer one changes.
        `back` runs (the outer loop) from the end of a row that was read before to its beginning.
        """
        stages = f", num_stages={self.schedule.num_stages}" if self.schedule.num_stages > 1 else ""
        group = self.values.reduced_group
        if group.nested:
            outer, inner = self.nest_sizes()
            with self._loop("outer", begin, end or outer, back=back), self.values.scope():
                if spans_far(self.loops, group):
                    self.kernel.line("outer = outer.to(tl.int64)")
                self.values.indexer.places.add("outer")
                group.decoded = {0: "outer", 1: group.variable}
                self.values.hoist(roots, frozenset(group.axes[1].leaves))
                with self._steps("0", inner, stages):
                    yield
        else:
            with self._steps(begin, end or self.length, stages, back=back):
                yield

    @contextmanager
    def edges(self) -> Iterator[None]:
        """What of a row lies outside of its whole vectors, as one masked tile before the loop."""
        with self._beside("edge_"):
            self.kernel.line("edge_cols = edges - row_start")
            self._know_packed("edges")
            yield

    @contextmanager
    def first_tile(self, begin: str, end: str) -> Iterator[None]:
        """The tile that a pass from `begin` to `end` starts with, read before the pass."""
        with self._beside("first_"):
            group = self.values.reduced_group
            if group.nested:
                outer, inner = self.nest_sizes()
                place = begin if begin == "0" else f"tl.minimum({begin}, {outer} - 1)"
                wide = ".to(tl.int64)" if begin != "0" and spans_far(self.loops, group) else ""
                self.kernel.line(f"first_outer = {place}{wide}")
                group.decoded = {0: "first_outer", 1: group.variable}
                self._row_index("0", inner)
            else:
                self._row_index(begin, end)
            yield

    @contextmanager
    def _beside(self, prefix: str) -> Iterator[None]:
        """A tile apart from those of a loop: what belongs to it has a prefix and is forgotten after it."""
        values, group = self.values, self.values.reduced_group
        was = (self.mask, values.mask_of, values.prefix, group.prefix, group.mask, group.decoded)
        values.mask_of = {
            frozenset(prefix + v if v == group.name else v for v in key): prefix + m
            if group.name in key
            else m
            for key, m in values.mask_of.items()
        }
        self.mask, values.prefix = prefix + self.mask, prefix
        group.prefix, group.mask, group.decoded = prefix, prefix + group.mask, {}
        with values.scope():
            yield
        self.mask, values.mask_of, values.prefix, group.prefix, group.mask, group.decoded = was

    def _know_packed(self, name: str) -> None:
        if self.loops.packed is not None:
            self.values.know_address(self.loops.packed, name)

    def read_again(self, roots: list[int], *, last: bool = False) -> None:
        """Ask the cache to keep what a pass reads of a row until the last pass has read it."""
        if not self.schedule.rows_in_l2:
            return
        builder, kept = self.values.builder, set(self.loops.region.kept_axes)
        streams = [n for n in builder.walk(roots) if self.values.varies(n) and builder.free_axes(n) & kept]
        loads = [node for n in streams if isinstance(node := builder.nodes[n], Load)]
        policy = dict.fromkeys((load.buffer for load in loads), "evict_first" if last else "evict_last")
        self.values.hints = {**self.values.hints, **policy}

    def align(self) -> None:
        """Tell the compiler what divides a row's length, where it cannot see it by itself."""
        if self.schedule.unit > 1:
            unit = self.schedule.unit
            self.kernel.constant("UNIT", f"{unit} if n_cols % {unit} == 0 else 1")
            self.kernel.line("n_cols = n_cols // UNIT * UNIT")

    def nest_sizes(self) -> tuple[str, str]:
        """Lengths of the two loops; no constants, or a compiler would unroll them, registers and all."""
        axes = self.values.reduced_group.axes
        return self.kernel.size("n_outer", axes[0].size), self.kernel.size("n_inner", axes[1].size)

    @contextmanager
    def _steps(self, begin: str, end: str, stages: str, *, back: bool = False) -> Iterator[None]:
        with self._loop("start", begin, end, f", {self.step}{stages}", self.step, back=back):
            self.step_index("start", end)
            with self.values.scope():
                yield

    @contextmanager
    def _loop(
        self, variable: str, begin: str, end: str, tail: str = "", step: str = "1", *, back: bool
    ) -> Iterator[None]:
        """With `back` the last step comes first; whole steps are subtracted, so that alignment shows."""
        if not back:
            with self.kernel.block(f"for {variable} in tl.range({begin}, {end}{tail}):"):
                yield
            return
        length = end if begin == "0" else f"{end} - {begin}"
        last = f"{length} - 1" if step == "1" else f"(tl.cdiv({length}, {step}) - 1) * {step}"
        self.kernel.line(f"last_{variable} = {last if begin == '0' else f'{begin} + {last}'}")
        with self.kernel.block(f"for done in tl.range(0, {length}{tail}):"):
            self.kernel.line(f"{variable} = last_{variable} - done")
            yield

    def step_index(self, start: str, end: str = "") -> None:
        """Index and mask of one step over the reduced direction."""
        group = self.values.reduced_group
        if self.schedule.peel:
            self.kernel.line(f"offset = {start} + tl.arange(0, {self.step})")
            self.kernel.line(f"{self.mask} = offset < {end}")
            self.kernel.line(f"{group.variable} = offset - row_start")
            self._know_packed("offset")
        else:
            self._row_index(start, end)

    def _row_index(self, start: str, end: str) -> None:
        """The same for steps that are counted from where the row begins."""
        group = self.values.reduced_group
        if not group.nested:
            group.decoded.clear()
        lanes = f"tl.arange(0, {self.step})"
        if self.tile.two_dimensional:
            lanes += "[:, None]" if self.schedule.layout == "columns" else "[None, :]"
        index = f"{start} + {lanes}" if start != "0" else lanes
        if not group.nested and spans_far(self.loops, group):
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
    region = values.loops.region
    for number in region.builder.walk([s.value for s in region.stores]):
        node = region.builder.nodes[number]
        if isinstance(node, Load | Position):
            for index in indices(node):
                values.indexer.decode(group, index)
    for store in region.stores:
        values.indexer.decode(group, store.index)


def spans_far(loops: Loops, group: Group) -> bool:
    """Whether the offsets along one group of axes can pass 2^31 elements at the traced size."""
    region = loops.region
    space = region.builder.space
    indices = [s.index for s in region.stores]
    indices += [n.index for n in region.builder.nodes if isinstance(n, Load | Position)]
    spans = (
        sum((a.size.full - 1) * loops.coefficient(space.resolve(i), a).full for a in group.axes)
        for i in indices
    )
    return max(spans, default=0) >= INDEX_LIMIT


def is_wide(loops: Loops) -> bool:
    """Whether any access can pass 2^31 elements at the traced size."""
    region = loops.region
    space = region.builder.space
    indices = [s.index for s in region.stores] + [
        n.index for n in region.builder.nodes if isinstance(n, Load)
    ]
    reach = (1 + sum((space.sizes[a].full - 1) * c.full for a, c in space.resolve(i).terms) for i in indices)
    whole = (int(node.meta["val"].numel()) for _, node in region.buffers)
    return max([*reach, *whole]) >= INDEX_LIMIT


def frame(job: Job, part: str = "", doc: str = "") -> Frame:
    """An empty kernel of a region; `part` tells several kernels of one region apart."""
    notes = []
    if job.schedule.unit > 1:
        notes.append("UNIT divides n_cols, which the compiler would not see.")
    if job.schedule.peel:
        notes.append(
            "Rows begin anywhere between two 16-byte boundaries: the body of a row is its whole vectors of "
            "VECTOR elements, the edges are the fewer than VECTOR elements before and after it."
        )
    kernel = Kernel(f"{job.name}{part}_kernel", doc or f"{_mapping(job)}: {job.doc}.", " ".join(notes))
    return {"flat": _flat, "rows": _rows, "columns": _columns}[job.schedule.layout](job, kernel)


def _mapping(job: Job) -> str:
    """What one program works on."""
    s = job.schedule
    if s.layout == "flat":
        return "One tile of elements a program"
    if s.splits > 1:
        return (
            "One part of a row a program" if s.layout == "rows" else "One part of a tile of columns a program"
        )
    if s.layout == "columns":
        return "One tile of neighbouring columns a program"
    if s.persistent:
        return "Each program walks over rows"
    return "One row a program" if s.rows == 1 else f"{s.rows} rows a program"


def _values(
    job: Job, kernel: Kernel, groups: list[Group], reduced: Group | None, masks: dict[frozenset[str], str]
) -> Values:
    indexer = Indexer(kernel, job.loops, groups, job.vocabulary, job.tensors.values())
    return Values(kernel, job.loops, indexer, reduced, job.tensors, masks, job.hints)


def _flat(job: Job, kernel: Kernel) -> Frame:
    loops = job.loops
    group = Group("offsets", loops.kept, "mask", "")
    values = _values(job, kernel, [group], None, {frozenset({"offsets"}): "mask"})
    size = kernel.size("n_elements", loops.rows)
    kernel.constant("BLOCK", str(job.schedule.block))
    program = "tl.program_id(0)" + (".to(tl.int64)" if is_wide(loops) else "")
    kernel.line(f"offsets = {program} * BLOCK + tl.arange(0, BLOCK)")
    kernel.line(f"mask = offsets < {size}")
    prepare(values, group)
    kernel.grid = f"(triton.cdiv({size}, {{BLOCK}}),)" if loops.kept else "(1,)"
    return Frame(kernel, values, Tile("BLOCK", 0, False, "BLOCK"), loops, job.schedule, "mask", "", "")


def _rows(job: Job, kernel: Kernel) -> Frame:
    loops, several = job.loops, job.schedule.rows > 1
    rows = Group("row", loops.kept, "row_mask" if several else "", "ROWS")
    cols = Group("cols", loops.reduced, "col_mask" if several else "mask", "COLS", nested=job.schedule.nested)
    masks = {frozenset({"cols"}): "col_mask" if several else "mask"}
    if several:
        masks |= {frozenset({"row"}): "row_mask", frozenset({"row", "cols"}): "mask"}
    values = _values(job, kernel, [rows, cols], cols, masks)
    tile = Tile("ROWS, BLOCK", 1, True, "ROWS, 1") if several else Tile("BLOCK", 0, False, "")
    return Frame(kernel, values, tile, loops, job.schedule, "mask", "n_cols", "BLOCK")


def _columns(job: Job, kernel: Kernel) -> Frame:
    loops = job.loops
    batch = Group("batch", loops.kept[:-1], "", "BATCH")
    cols = Group("cols", loops.kept[-1:], "col_mask", "COLS")
    rows = Group("rows", loops.reduced, "row_mask", "ROWS")
    masks = {
        frozenset({"cols"}): "col_mask",
        frozenset({"rows"}): "row_mask",
        frozenset({"rows", "cols"}): "mask",
    }
    values = _values(job, kernel, [batch, cols, rows], rows, masks)
    tile = Tile("DEPTH, BLOCK", 0, True, "1, BLOCK")
    return Frame(kernel, values, tile, loops, job.schedule, "mask", "n_rows", "DEPTH")
