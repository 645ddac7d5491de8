"""Products of few tiles and a long sum: the sum is cut into parts, a program each, and a kernel joins them.

The parts of a tile are joined in one fixed order, so that results are the same in every run; what follows
the product is done once, behind the join.
"""

from __future__ import annotations

from dataclasses import replace

from ..emit.kernel import Kernel
from ..schedule import Schedule
from .contraction import place, store_results, sum_tile, summed_in, tiling_of
from .factors import names_in_use, tile_values
from .frame import prepare
from .job import Job

LEAST_COLS = 64
"""Columns of a tile that is joined: whole sectors of every part."""

HELD = 32
"""Elements of parts that each of 32 threads of a warp loads at once."""


def joined_tile(schedule: Schedule) -> tuple[int, int]:
    """Rows and columns of which a program of the second kernel loads all parts."""
    cols = min(schedule.block, LEAST_COLS)
    rows = HELD * 32 * schedule.num_warps // (schedule.splits * cols)
    return max(1, min(schedule.rows, rows)), cols


def write(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """The kernels in launch order and the workspaces between them."""
    sums = Kernel(f"{job.name}_part_kernel", "A tile of sums over one part of their terms.")
    whole = replace(job, schedule=replace(job.schedule, halves=False))
    found = sum_tile(whole, sums)
    taken = set(job.tensors.values())
    spaces = {number: _free(f"{name}_parts", taken) for name, number in found.sums.items()}
    entry = "(batch * PARTS + part)" if tiling_of(job).batch else "part.to(tl.int64)"
    sums.line("mask = row_mask & col_mask")
    for name, number in found.sums.items():
        at = f"{sums.pointer(spaces[number])} + {entry} * (n_rows * n_cols) + rows * n_cols + cols"
        sums.line(f"tl.store({at}, {name}, mask=mask)")
    batches = "n_batch * " if tiling_of(job).batch else ""
    sums.shapes |= dict.fromkeys(spaces.values(), f"({{PARTS}} * {batches}n_rows * n_cols,)")
    return [sums, _join(whole, spaces)], [(space, summed_in(job.loops)) for space in spaces.values()]


def _join(job: Job, spaces: dict[int, str]) -> Kernel:
    """The second kernel: the parts of a tile added, and what follows."""
    kernel = Kernel(f"{job.name}_kernel", f"The parts of a tile of sums joined: {job.doc}.")
    rows, cols = joined_tile(job.schedule)
    job = replace(
        job,
        schedule=replace(
            job.schedule, rows=rows, block=cols, group=1, dies=1, persistent=0, descriptors=False
        ),
    )
    row_group, col_group, batch = place(job, kernel)
    results = tile_values(job, kernel, row_group, col_group, "mask", names_in_use())
    prepare(results, row_group)
    prepare(results, col_group)
    kernel.constant("PARTS", str(job.schedule.splits))
    kernel.line("mask = row_mask & col_mask")
    kernel.line("parts = tl.arange(0, PARTS).to(tl.int64)[:, None, None]")
    entry = "(batch * PARTS + parts)" if batch is not None else "parts"
    sums = {}
    for number, space in spaces.items():
        name = results.fresh(space.removesuffix("_parts"))
        at = f"{kernel.pointer(space)} + {entry} * (n_rows * n_cols) + (rows * n_cols + cols)[None, :, :]"
        kernel.line(f"{name} = tl.sum(tl.load({at}, mask=mask[None, :, :], other=0.0), axis=0)")
        sums[name] = number
    store_results(job, results, sums)
    return kernel


def _free(name: str, taken: set[str]) -> str:
    """A name that no tensor of the wrapper has."""
    unique, count = name, 1
    while unique in taken:
        count += 1
        unique = name.replace("_parts", f"{count}_parts")
    taken.add(unique)
    return unique
