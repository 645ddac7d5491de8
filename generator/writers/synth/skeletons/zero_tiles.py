"""Steps of a product's sums that add nothing: beyond a triangle of results, or where a factor's tile is zero.

Which tiles of factors are zero is found by a kernel before, from the values of every call; a tile that is not
finite counts as needed by all, since 0 times infinity is no zero. So the results are those of the whole sum.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..emit.index import Group
from ..emit.kernel import Kernel
from ..expr import Apply, Const, Contract, Position
from ..loops import LoopAxis, Loops
from .factors import names_in_use, only_loaded, tile_values
from .job import Job

MARKS_AT_ONCE = 256
"""Marks of each factor that a program compares at once."""


@dataclass(frozen=True)
class Triangle:
    """Results that stay, the rest being 0: those from column `row + shift` on (`upper`), or up to there."""

    upper: bool
    shift: int


def triangle_of(loops: Loops) -> Triangle | None:
    """What `triu` or `tril` behind the products leaves of their results; None where all of them count."""
    tiling = loops.tiling
    if tiling is None or tiling.holds or len(tiling.rows) != 1 or len(tiling.cols) != 1:
        return None
    found = {_triangle(loops, store.value, tiling.rows[0], tiling.cols[0]) for store in loops.region.stores}
    return found.pop() if len(found) == 1 else None


def _triangle(loops: Loops, number: int, rows: LoopAxis, cols: LoopAxis) -> Triangle | None:
    b = loops.region.builder
    node = b.nodes[number]
    while isinstance(node, Apply) and node.function == "cast":
        node = b.nodes[node.args[0]]
    if not (isinstance(node, Apply) and node.function == "where"):
        return None
    kept, nothing = b.nodes[node.args[0]], b.nodes[node.args[2]]
    if not (isinstance(nothing, Const) and nothing.value == 0 and isinstance(kept, Apply)):
        return None
    if kept.function not in ("le", "ge") or not _is_place(loops, kept.args[0], cols):
        return None
    row, shift = b.nodes[kept.args[1]], 0
    if isinstance(row, Apply) and row.function == "add" and isinstance(by := b.nodes[row.args[1]], Const):
        return Triangle(kept.function == "ge", int(by.value)) if _is_place(loops, row.args[0], rows) else None
    return Triangle(kept.function == "ge", shift) if _is_place(loops, kept.args[1], rows) else None


def _is_place(loops: Loops, number: int, axis: LoopAxis) -> bool:
    """Whether a value is the place along an axis."""
    b = loops.region.builder
    node = b.nodes[number]
    if not isinstance(node, Position):
        return False
    index = b.space.resolve(node.index)
    alone = index.constant.is_zero() and len(index.terms) == len(axis.leaves)
    return alone and loops.coefficient(index, axis) == loops.one


def may_be_marked(loops: Loops) -> bool:
    """Whether the factors of the only product are tensors as they lie, of one batch entry."""
    b, tiling = loops.region.builder, loops.tiling
    nodes = [b.nodes[n] for n in b.walk([s.value for s in loops.region.stores])]
    products = [node for node in nodes if isinstance(node, Contract)]
    if tiling is None or tiling.batch or tiling.inner or tiling.holds or len(products) != 1:
        return False
    loads = [only_loaded(b, n) for n in (products[0].left, products[0].right)]
    return all(load is not None and not load.taps and not load.gathered for load in loads)


def marks_kernel(job: Job) -> tuple[Kernel, list[tuple[str, str]]]:
    """The kernel that marks the tiles of both factors: 0 all zero, 1 not, 2 not finite; and its tensors."""
    tiling, builder = job.loops.tiling, job.loops.region.builder
    if tiling is None:
        raise ValueError("a region without a matrix product has no tiles")
    kernel = Kernel(
        f"{job.name}_marks_kernel",
        "One tile of a factor a program: 0 where all of it is zero, 1 where not, 2 where it is not finite.",
    )
    for name, axes in (("n_rows", tiling.rows), ("n_cols", tiling.cols), ("n_k", tiling.depth)):
        size = job.loops.one
        for axis in axes:
            size = size * axis.size
        kernel.size(name, size)
    for name, value in (("M", job.schedule.rows), ("N", job.schedule.block), ("K", job.schedule.depth)):
        kernel.constant(f"BLOCK_{name}", str(value))
    blocks = "triton.cdiv({n_rows}, {BLOCK_M}) + triton.cdiv({n_cols}, {BLOCK_N})"
    kernel.grid = f"(triton.cdiv({{n_k}}, {{BLOCK_K}}), {blocks})"
    kernel.line("step, block = tl.program_id(0), tl.program_id(1)")
    kernel.line("row_blocks = tl.cdiv(n_rows, BLOCK_M)")
    nodes = (builder.nodes[n] for n in builder.walk([s.value for s in job.loops.region.stores]))
    product = next(node for node in nodes if isinstance(node, Contract))
    names = mark_names(job)
    taken = names_in_use()
    sides = (
        (
            "if block < row_blocks:",
            Group("rows", tiling.rows, "row_mask", "ROWS"),
            product.left,
            "block",
            "M",
        ),
        ("else:", Group("cols", tiling.cols, "col_mask", "COLS"), product.right, "(block - row_blocks)", "N"),
    )
    for (header, side, number, at, letter), name in zip(sides, names, strict=True):
        first = letter == "M"
        ks, mask = ("left_ks", "left_mask") if first else ("right_ks", "right_mask")
        down = Group(ks, tiling.depth, f"{ks}_mask", "K")
        lanes = ("[:, None]", "[None, :]") if first else ("[None, :]", "[:, None]")
        with kernel.block(header):
            kernel.line(f"{side.variable} = {at} * BLOCK_{letter} + tl.arange(0, BLOCK_{letter}){lanes[0]}")
            kernel.line(f"{ks} = step * BLOCK_K + tl.arange(0, BLOCK_K){lanes[1]}")
            kernel.line(f"{mask} = ({side.variable} < n_{side.variable}) & ({ks} < n_k)")
            values = tile_values(job, kernel, *((side, down) if first else (down, side)), mask, taken)
            with values.scope():
                tile = values.named(number, ()).source
            inside = f'tl.where(tl.abs({tile}) < float("inf"), 1, 2)'
            kernel.line(f"{name} = tl.where({tile} == 0, 0, {inside})")
            place = f"{kernel.pointer(name)} + {at} * tl.cdiv(n_k, BLOCK_K) + step"
            kernel.line(f"tl.store({place}, tl.max(tl.max({name}, axis=1), axis=0).to(tl.int8))")
        count = f"triton.cdiv(n_{side.variable}, {{BLOCK_{letter}}})"
        kernel.shapes[name] = f"({count} * triton.cdiv(n_k, {{BLOCK_K}}),)"
    return kernel, [(name, "int8") for name in names]


def mark_names(job: Job) -> tuple[str, str]:
    """Tensors of the marks of the left and of the right factor's tiles."""
    taken = set(job.tensors.values())
    names = []
    for side in ("left", "right"):
        name = f"{side}_marks"
        while name in taken:
            name += "_"
        names.append(name)
    return names[0], names[1]


def needed_span(job: Job, kernel: Kernel) -> tuple[str, str]:
    """First and last place of the summed direction that this tile needs, as variables."""
    begin, end = "0", "n_k"
    if job.schedule.marks:
        begin, end = "k_begin", "k_end"
        _compare_marks(job, kernel)
    triangle = triangle_of(job.loops) if job.schedule.triangle else None
    if triangle is None:
        return begin, end
    row, col = "tile_row * BLOCK_M", "tile_col * BLOCK_N"
    shift = (
        f" + {triangle.shift}" if triangle.shift > 0 else f" - {-triangle.shift}" if triangle.shift else ""
    )
    inside = f"{col} + BLOCK_N > {row}{shift}" if triangle.upper else f"{col} < {row} + BLOCK_M{shift}"
    kernel.line(f"k_end = tl.where({inside}, {end}, 0)")
    return begin, "k_end"


def _compare_marks(job: Job, kernel: Kernel) -> None:
    left, right = (kernel.pointer(name) for name in mark_names(job))
    kernel.line("steps = tl.cdiv(n_k, BLOCK_K)")
    kernel.line("first_step, last_step = steps, 0")
    with kernel.block(f"for some in tl.range(0, steps, {MARKS_AT_ONCE}):"):
        kernel.line(f"places = some + tl.arange(0, {MARKS_AT_ONCE})")
        for name, pointer, block in (("left", left, "tile_row"), ("right", right, "tile_col")):
            at = f"{pointer} + {block} * steps + places"
            kernel.line(f"{name}_mark = tl.load({at}, mask=places < steps, other=0)")
        kernel.line("both = (left_mark > 0) & (right_mark > 0)")
        kernel.line("counts = both | (left_mark > 1) | (right_mark > 1)")
        kernel.line("first_step = tl.minimum(first_step, tl.min(tl.where(counts, places, steps), axis=0))")
        kernel.line("last_step = tl.maximum(last_step, tl.max(tl.where(counts, places + 1, 0), axis=0))")
    kernel.line("k_begin, k_end = first_step * BLOCK_K, tl.minimum(last_step * BLOCK_K, n_k)")
