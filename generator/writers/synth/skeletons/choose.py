"""Which skeleton writes a schedule."""

from __future__ import annotations

from ..emit.kernel import Kernel
from . import (
    attention,
    contraction,
    convolution,
    held,
    parts,
    pointwise,
    rowwise,
    split,
    split_product,
    window,
    zero_tiles,
)  # fmt: skip
from .job import Job


def write_kernels(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """Kernels of a region in launch order, and the workspaces (name, dtype) between them."""
    if job.schedule.layout == "attention":
        return attention.write(job), []
    if job.schedule.layout == "convolution":
        return convolution.write(job)
    if job.schedule.layout == "tiles":
        return _products(job)
    if job.schedule.layout == "window":
        return window.write(job), []
    if job.schedule.layout == "flat":
        return pointwise.write(job), []
    if job.schedule.splits > 1:
        return split.write(job)
    return rowwise.write(job), []


def _products(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """Kernels of matrix products: what looks at the factors or cuts them first, what joins sums last."""
    if job.loops.tiling is not None and job.loops.tiling.holds:
        if not job.schedule.stretch:
            return held.write(job), []
        cut, spaces = parts.cut_kernel(job)
        return [cut, *held.write(parts.cut_job(job))], spaces
    before = [zero_tiles.marks_kernel(job)] if job.schedule.marks else []
    if job.schedule.stretch:
        before.append(parts.cut_kernel(job))
        job = parts.cut_job(job)
    after, shared = split_product.write(job) if job.schedule.splits > 1 else (contraction.write(job), [])
    kernels = [kernel for kernel, _ in before] + after
    return kernels, [space for _, spaces in before for space in spaces] + shared
