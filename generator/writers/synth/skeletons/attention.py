"""Attention skeleton: a tile of queries walks over the keys; scores and weights never leave the chip.

A running maximum and a running sum of exponentials keep the softmax; what was summed under a smaller maximum
is scaled down when a larger one is met. Weights that are no softmax are summed as they are.
"""

from __future__ import annotations

from ..builder import Builder
from ..dtypes import SHORT_FLOATS, TRITON
from ..emit.index import Group
from ..emit.kernel import Kernel
from ..emit.text import Text
from ..emit.values import Values
from ..expr import Apply, Attend, Const, Position
from ..loops import Loops, Tiling
from ..lowering.attending import only_product
from .contraction import count_of, enter_batch, factor, names_in_use, number_tiles, tile_values
from .frame import is_wide, prepare
from .job import Job

_LOCALS = {"scores", "weights", "inside", "running_max", "running_sum", "new_max", "shift",
           "rescale", "acc", "attended"}  # fmt: skip
"""What these kernels call their own values."""


def write(job: Job) -> list[Kernel]:
    tiling = job.loops.tiling
    if tiling is None:
        raise ValueError("a region without products has no tiles")
    kernel = Kernel(f"{job.name}_kernel", f"One tile of queries a program: {job.doc}.")
    number, node = attention_of(job.loops)
    product, taken = only_product(job.loops.region.builder, node), names_in_use() | _LOCALS
    rows = Group("rows", tiling.rows, "row_mask", "ROWS")
    cols = Group("cols", tiling.cols, "col_mask", "COLS")
    keys, down_keys = (Group(f"{n}keys", tiling.depth, f"{n}key_mask", "KEYS") for n in ("", "down_"))
    across, down = (Group(f"{n}_ks", tiling.inner, f"{n}_ks_mask", "K") for n in ("left", "right"))
    _place(job, kernel, tiling)
    turned = bool(job.loops.region.builder.free_axes(product.left) & keys.leaves)
    query, key = (product.right, product.left) if turned else (product.left, product.right)
    queries = tile_values(job, kernel, rows, across, "left_mask", taken)
    known = tile_values(job, kernel, down, keys, "right_mask", taken)
    scores = tile_values(job, kernel, rows, keys, "score_mask", taken)
    values = tile_values(job, kernel, down_keys, cols, "value_mask", taken)
    results = tile_values(job, kernel, rows, cols, "mask", taken)
    prepare(results, rows)
    prepare(results, cols)
    kernel.line("acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)")
    if node.softmax:
        kernel.line('running_max = tl.full((BLOCK_M, 1), -float("inf"), tl.float32)')
        kernel.line("running_sum = tl.zeros((BLOCK_M, 1), tl.float32)")
    held = ""
    if job.schedule.one_tile:
        _inner_index(kernel, "0")
        kernel.line("left_mask = row_mask & left_ks_mask")
        held = factor(queries, query, "left_mask")
    last = "n_keys"
    if node.softmax and looks_back_only(job.loops):
        last = "last_key"
        kernel.line(f"{last} = tl.minimum(n_keys, (tile_row + 1) * BLOCK_M)")
    with kernel.block(f"for start in tl.range(0, {last}, BLOCK_K):"):
        kernel.line("keys = start + tl.arange(0, BLOCK_K)[None, :]")
        kernel.line("down_keys = start + tl.arange(0, BLOCK_K)[:, None]")
        kernel.line("key_mask = keys < n_keys")
        kernel.line("down_key_mask = down_keys < n_keys")
        _scores(job, kernel, queries, known, (query, key), held)
        scores.define(_number_of(job, node), Text("scores"))
        _weights(kernel, scores, node)
        kernel.line("value_mask = down_key_mask & col_mask")
        found = factor(values, node.values, "value_mask")
        weights, how = _narrowed(values.builder, node), _precision(job, values, node.values)
        kernel.line(f"acc = tl.dot({weights}, {found}, acc{how})")
    if node.softmax:
        share = "acc / running_sum"
        kernel.line(f"attended = {f'tl.where(running_sum == 0.0, 0.0, {share})' if node.empty else share}")
    results.define(number, Text("attended" if node.softmax else "acc"))
    kernel.line("mask = row_mask & col_mask")
    for store in job.loops.region.stores:
        results.store(store, ())
    return [kernel]


def attention_of(loops: Loops) -> tuple[int, Attend]:
    """The node of a region that is an attention."""
    b = loops.region.builder
    for number in b.walk([s.value for s in loops.region.stores]):
        if isinstance(node := b.nodes[number], Attend):
            return number, node
    raise ValueError("a region without an attention")


def _number_of(job: Job, node: Attend) -> int:
    b = job.loops.region.builder
    return b.add(only_product(b, node))


def _place(job: Job, kernel: Kernel, tiling: Tiling) -> None:
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
    number_tiles(kernel, batched=bool(tiling.batch))
    wide = ".to(tl.int64)" if is_wide(loops) else ""
    kernel.line(f"rows = tile_row{wide} * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]")
    kernel.line(f"cols = tile_col{wide} * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]")
    kernel.line("row_mask = rows < n_rows")
    kernel.line("col_mask = cols < n_cols")
    enter_batch(job, kernel, tiling)


def _inner_index(kernel: Kernel, start: str) -> None:
    begin = "" if start == "0" else f"{start} + "
    kernel.line(f"left_ks = {begin}tl.arange(0, BLOCK_E)[None, :]")
    kernel.line(f"right_ks = {begin}tl.arange(0, BLOCK_E)[:, None]")
    kernel.line("left_ks_mask = left_ks < n_inner")
    kernel.line("right_ks_mask = right_ks < n_inner")


def _scores(
    job: Job, kernel: Kernel, queries: Values, known: Values, sides: tuple[int, int], held: str
) -> None:
    """scores = queries x keys: in one step with the `held` ones, "" for steps over what is summed."""
    query, key = sides
    how = _precision(job, queries, query)
    if held:
        kernel.line("right_mask = right_ks_mask & key_mask")
        with known.scope():
            kernel.line(f"scores = tl.dot({held}, {factor(known, key, 'right_mask')}{how})")
        return
    kernel.line("scores = tl.zeros((BLOCK_M, BLOCK_K), tl.float32)")
    with kernel.block("for inner_start in tl.range(0, n_inner, BLOCK_E):"), queries.scope(), known.scope():
        _inner_index(kernel, "inner_start")
        kernel.line("left_mask = row_mask & left_ks_mask")
        kernel.line("right_mask = right_ks_mask & key_mask")
        factors = factor(queries, query, "left_mask"), factor(known, key, "right_mask")
        kernel.line(f"scores = tl.dot({', '.join(factors)}, scores{how})")


def _weights(kernel: Kernel, scores: Values, node: Attend) -> None:
    """weights of this step's keys; those beyond the last one weigh nothing."""
    kernel.line("score_mask = row_mask & key_mask")
    found = scores.named(node.scores, ()).source
    if not node.softmax:
        kernel.line(f"weights = tl.where(key_mask, {found}, 0.0)")
        return
    kernel.line(f'inside = tl.where(key_mask, {found}, -float("inf"))')
    kernel.line("new_max = tl.maximum(running_max, tl.max(inside, axis=1, keep_dims=True))")
    kernel.line('shift = tl.where(new_max == -float("inf"), 0.0, new_max)')
    kernel.line("weights = tl.exp(inside - shift)")
    kernel.line("rescale = tl.exp(running_max - shift)")
    kernel.line("running_sum = running_sum * rescale + tl.sum(weights, axis=1, keep_dims=True)")
    kernel.line("acc = acc * rescale")
    kernel.line("running_max = new_max")


def _narrowed(builder: Builder, node: Attend) -> str:
    """Weights in the type of the values, in which matrix units take both."""
    dtype = builder.dtype(node.values)
    return f"weights.to({TRITON[dtype]})" if dtype in SHORT_FLOATS else "weights"


def _precision(job: Job, values: Values, number: int) -> str:
    return f', input_precision="{job.schedule.dot}"' if values.builder.dtype(number) == "fp32" else ""


def looks_back_only(loops: Loops) -> bool:
    """Whether a query sees no key behind its own place, and rows are places: later keys need no visit."""
    b, tiling = loops.region.builder, loops.tiling
    node = b.nodes[attention_of(loops)[1].scores]
    if tiling is None or len(tiling.rows) != 1 or len(tiling.depth) != 1:
        return False
    if not (isinstance(node, Apply) and node.function == "where"):
        return False
    seen, nothing = b.nodes[node.args[0]], b.nodes[node.args[2]]
    if not (isinstance(nothing, Const) and nothing.value == -float("inf")):
        return False
    if not (isinstance(seen, Apply) and seen.function == "le"):
        return False
    column, row = (b.nodes[n] for n in seen.args)
    return all(
        isinstance(place, Position)
        and place.index.constant.is_zero()
        and loops.coefficient(b.space.resolve(place.index), axis) == loops.one
        and len(b.space.resolve(place.index).terms) == len(axis.leaves)
        for place, axis in ((column, tiling.depth[0]), (row, tiling.rows[0]))
    )
