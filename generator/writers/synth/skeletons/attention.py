"""Attention skeleton: a tile of queries walks over the keys; scores and weights never leave the chip.

A running maximum and a running sum of exponentials keep the softmax; what was summed under a smaller maximum
is scaled down when a larger one is met. Weights that are no softmax are summed as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..builder import Builder
from ..dtypes import SHORT_FLOATS, TRITON
from ..emit.descriptors import Side
from ..emit.index import Group
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Attend, Const
from ..loops import Tiling
from ..lowering.attending import only_product
from .contraction import count_of, enter_batch, number_tiles
from .factors import Factors, names_in_use, tile_values
from .frame import is_wide, prepare
from .job import Job
from .scores import attention_of, looks_back_only, scaled, seen_by_all, shared_numbers

_LOCALS = {"scores", "weights", "inside", "running_max", "running_sum", "new_max", "shift",
           "rescale", "acc", "attended", "whole_keys", "alike"}  # fmt: skip
"""What these kernels call their own values."""

LOG2_E = 1.4426950408889634


def write(job: Job) -> list[Kernel]:
    tiling = job.loops.tiling
    if tiling is None:
        raise ValueError("a region without products has no tiles")
    kernel = Kernel(f"{job.name}_kernel", f"One tile of queries a program: {job.doc}.")
    number, node = attention_of(job.loops)
    rows = Group("rows", tiling.rows, "row_mask", "ROWS")
    cols = Group("cols", tiling.cols, "col_mask", "COLS")
    taken = names_in_use() | _LOCALS
    batch = _place(job, kernel, tiling)
    walk = _Walk(job, kernel, node, rows, cols, batch, taken)
    results = tile_values(job, kernel, rows, cols, "mask", taken)
    prepare(results, rows)
    prepare(results, cols)
    kernel.line("acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    if node.softmax:
        kernel.line('running_max = tl.full((BLOCK_M, 1), -float("inf"), tl.float32)')
        kernel.line("running_sum = tl.zeros((BLOCK_M, 1), tl.float32)")
    walk.hold_queries()
    back = node.softmax and looks_back_only(job.loops)
    last = "n_keys"
    if back:
        last = "last_key"
        kernel.line("last_key = tl.minimum(n_keys, (tile_row + 1) * BLOCK_M)")
        kernel.line("whole_keys = tl.minimum(n_keys, tile_row * BLOCK_M) // BLOCK_K * BLOCK_K")
    else:
        kernel.line("whole_keys = n_keys // BLOCK_K * BLOCK_K")
    walk.keys("0", "whole_keys", whole=True, back=back)
    walk.keys("whole_keys", last, whole=False, back=back)
    if node.softmax:
        share = "acc / running_sum"
        kernel.line(f"attended = {f'tl.where(running_sum == 0.0, 0.0, {share})' if node.empty else share}")
    results.define(number, Text("attended" if node.softmax else "acc"))
    kernel.line("mask = row_mask & col_mask")
    for store in job.loops.region.stores:
        results.store(store, ())
    return [kernel]


def _place(job: Job, kernel: Kernel, tiling: Tiling) -> Group | None:
    """Which queries a program holds, and which columns of their results where not all."""
    schedule, loops = job.schedule, job.loops
    kernel.size("n_rows", count_of(job, tiling.rows))
    kernel.size("n_cols", count_of(job, tiling.cols))
    kernel.size("n_keys", count_of(job, tiling.depth))
    kernel.size("n_inner", count_of(job, tiling.inner))
    kernel.constant("BLOCK_M", str(schedule.rows))
    kernel.constant("BLOCK_N", str(schedule.block))
    kernel.constant("BLOCK_K", str(schedule.depth))
    kernel.constant("BLOCK_E", str(schedule.inner))
    if looks_back_only(loops):
        _number_longest_first(kernel, batched=bool(tiling.batch))
    else:
        number_tiles(kernel, batched=bool(tiling.batch))
    wide = ".to(tl.int64)" if is_wide(loops) else ""
    kernel.line(f"rows = tile_row{wide} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    kernel.line(f"cols = tile_col{wide} * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
    kernel.line("row_mask = rows < n_rows")
    kernel.line("col_mask = cols < n_cols")
    return enter_batch(job, kernel, tiling)


def _number_longest_first(kernel: Kernel, *, batched: bool) -> None:
    """Queries that see the most keys start first, of all batches, so that short programs fill the end."""
    tiles = "triton.cdiv({n_rows}, {BLOCK_M}) * triton.cdiv({n_cols}, {BLOCK_N})"
    kernel.grid = f"({{n_batch}} * {tiles},)" if batched else f"({tiles},)"
    kernel.line("row_blocks = tl.cdiv(n_rows, BLOCK_M)")
    kernel.line("col_blocks = tl.cdiv(n_cols, BLOCK_N)")
    kernel.line("program = tl.program_id(0)")
    kernel.line("alike = tl.num_programs(0) // row_blocks")
    kernel.line("tile_row = row_blocks - 1 - program // alike")
    if batched:
        kernel.line("batch = (program % alike // col_blocks).to(tl.int64)")
    kernel.line("tile_col = program % col_blocks")


def _inner_index(kernel: Kernel, start: str) -> None:
    begin = "" if start == "0" else f"{start} + "
    kernel.line(f"left_ks = {begin}tl.arange(0, BLOCK_E)[None, :]")
    kernel.line(f"right_ks = {begin}tl.arange(0, BLOCK_E)[:, None]")
    kernel.line("left_ks_mask = left_ks < n_inner")
    kernel.line("right_ks_mask = right_ks < n_inner")


@dataclass
class _Walk:
    """The loops over the keys, and what is known before them."""

    job: Job
    kernel: Kernel
    node: Attend
    rows: Group
    cols: Group
    batch: Group | None
    taken: set[str]
    held: str = ""
    scale: str = str(LOG2_E)
    shared: dict[int, Text] = field(default_factory=dict)

    def __post_init__(self) -> None:
        builder = self.job.loops.region.builder
        tiling = self.job.loops.tiling
        assert tiling is not None
        self.builder, self.tiling = builder, tiling
        self.product = only_product(builder, self.node)
        across = Group("left_ks", tiling.inner, "left_ks_mask", "K")
        queries = tile_values(self.job, self.kernel, self.rows, across, "left_mask", self.taken)
        begin = "0" if self.job.schedule.one_tile else "inner_start"
        self.inner = begin
        sides = (Side(self.rows, "tile_row * BLOCK_M", "BLOCK_M"), Side(across, begin, "BLOCK_E"))
        self.queries = Factors(self.job, queries, "left_mask", sides, self.batch)
        turned = bool(builder.free_axes(self.product.left) & self._keys_group("keys", "").leaves)
        pair = (self.product.left, self.product.right)
        self.query, self.key = pair[::-1] if turned else pair

    def _keys_group(self, name: str, mask: str) -> Group:
        return Group(name, self.tiling.depth, mask, "KEYS")

    def hold_queries(self) -> None:
        """What no step changes: the queries where all of them fit, and numbers that are the same for all."""
        if self.job.schedule.one_tile:
            _inner_index(self.kernel, "0")
            self.kernel.line("left_mask = row_mask & left_ks_mask")
            self.held = self.queries.named(self.query)
        values = tile_values(self.job, self.kernel, self.rows, self._keys_group("keys", ""), "", self.taken)
        for number in shared_numbers(self.builder, self.node.scores):
            self.shared[number] = values.named(number, ())
        _, times = scaled(self.builder, self.node.scores)
        if times is not None and isinstance(known := self.builder.nodes[times], Const):
            self.scale = repr(float(known.value) * LOG2_E)
        elif times is not None:
            self.scale = values.fresh("log2_scale")
            self.kernel.line(f"{self.scale} = {values.named(times, ()).source} * {LOG2_E}")

    def keys(self, begin: str, end: str, *, whole: bool, back: bool) -> None:
        """One loop. Of `whole` steps every key is there, and where queries look `back` alone, seen by all."""
        job, kernel, node, names = self.job, self.kernel, self.node, set(self.taken)
        masks = ("", "") if whole else ("key_mask", "down_key_mask")
        keys, down_keys = (self._keys_group(n, m) for n, m in zip(("keys", "down_keys"), masks, strict=True))
        down = Group("right_ks", self.tiling.inner, "right_ks_mask", "K")
        right, value = ("right_ks_mask", "col_mask") if whole else ("right_mask", "value_mask")
        known = tile_values(job, kernel, down, keys, right, names)
        scores = tile_values(job, kernel, self.rows, keys, "row_mask" if whole else "score_mask", names)
        values = tile_values(job, kernel, down_keys, self.cols, value, names)
        place = Side(keys, "start", "BLOCK_K")
        key_tiles = Factors(job, known, right, (Side(down, self.inner, "BLOCK_E"), place), self.batch)
        down_place = Side(down_keys, "start", "BLOCK_K")
        column = Side(self.cols, "tile_col * BLOCK_N", "BLOCK_N")
        value_tiles = Factors(job, values, value, (down_place, column), self.batch)
        with kernel.block(f"for start in tl.range({begin}, {end}, BLOCK_K):"):
            kernel.line("keys = start + tl.arange(0, BLOCK_K)[None, :]")
            kernel.line("down_keys = start + tl.arange(0, BLOCK_K)[:, None]")
            if not whole:
                kernel.line("key_mask = keys < n_keys")
                kernel.line("down_key_mask = down_keys < n_keys")
                kernel.line("value_mask = down_key_mask & col_mask")
            early = bool(self.held) and job.schedule.descriptors
            found = self._scores(key_tiles, value_tiles if early else None, masked=not whole)
            for number, text in self.shared.items():
                scores.define(number, text)
            scores.define(self.builder.add(self.product), Text("scores"))
            root = seen_by_all(self.builder, node) if whole and back else node.scores
            self._weights(scores, root, masked=not whole)
            found = found or value_tiles.named(node.values)
            weights, how = _narrowed(self.builder, node), _precision(job, values, node.values)
            kernel.line(f"acc = tl.dot({weights}, {found}, acc{how})")

    def _scores(self, keys: Factors, values: Factors | None, *, masked: bool) -> str:
        """scores = queries x keys: in one step with the held ones, or in steps over what is summed.

        The variable of the `values` that are to be brought together with the keys, "" without them."""
        kernel, how = self.kernel, _precision(self.job, self.queries.values, self.query)
        if self.held:
            if masked:
                kernel.line("right_mask = right_ks_mask & key_mask")
            turns: list[tuple[str, str]] = []
            with keys.values.scope():
                key = keys.named(self.key, turns)
                found = values.named(self.node.values) if values else ""
                for condition, turn in turns:
                    with kernel.block(condition):
                        kernel.line(turn)
                kernel.line(f"scores = tl.dot({self.held}, {key}{how})")
            return found
        kernel.line("scores = tl.zeros((BLOCK_M, BLOCK_K), tl.float32)")
        with (
            kernel.block("for inner_start in tl.range(0, n_inner, BLOCK_E):"),
            self.queries.values.scope(),
            keys.values.scope(),
        ):
            _inner_index(kernel, "inner_start")
            kernel.line("left_mask = row_mask & left_ks_mask")
            if masked:
                kernel.line("right_mask = right_ks_mask & key_mask")
            factors = self.queries.named(self.query), keys.named(self.key)
            kernel.line(f"scores = tl.dot({', '.join(factors)}, scores{how})")
        return ""

    def _weights(self, scores: Values, root: int, *, masked: bool) -> None:
        """From the scores `root` to what values are taken times, and the softmax's running maximum and sum,
        of powers of two: an exponential is one, of the score times log2(e), which joins its scale."""
        kernel = self.kernel
        if masked:
            kernel.line("score_mask = row_mask & key_mask")
        if not self.node.softmax:
            found = scores.named(root, ()).source
            kernel.line(f"weights = {f'tl.where(key_mask, {found}, 0.0)' if masked else found}")
            return
        root, _ = scaled(self.builder, root)
        found = scores.named(root, ()).source
        if masked:
            kernel.line(f'inside = tl.where(key_mask, {found}, -float("inf"))')
            found = "inside"
        peak = f"tl.max({found}, axis=1, keep_dims=True) * {self.scale}"
        kernel.line(f"new_max = tl.maximum(running_max, {peak})")
        kernel.line('shift = tl.where(new_max == -float("inf"), 0.0, new_max)')
        kernel.line(f"weights = tl.exp2({found} * {self.scale} - shift)")
        kernel.line("rescale = tl.exp2(running_max - shift)")
        kernel.line("running_sum = running_sum * rescale + tl.sum(weights, axis=1, keep_dims=True)")
        kernel.line("acc = acc * rescale")
        kernel.line("running_max = new_max")


def _narrowed(builder: Builder, node: Attend) -> str:
    """Weights in the type of the values, in which matrix units take both."""
    dtype = builder.dtype(node.values)
    return f"weights.to({TRITON[dtype]})" if dtype in SHORT_FLOATS else "weights"


def _precision(job: Job, values: Values, number: int) -> str:
    return f', input_precision="{job.schedule.dot}"' if values.builder.dtype(number) == "fp32" else ""
