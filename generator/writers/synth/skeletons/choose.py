"""Which skeleton writes a schedule."""

from __future__ import annotations

from ..emit.kernel import Kernel
from . import attention, contraction, parts, pointwise, rowwise, split, window
from .job import Job


def write_kernels(job: Job) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """Kernels of a region in launch order, and the workspaces (name, dtype) between them."""
    if job.schedule.layout == "attention":
        return attention.write(job), []
    if job.schedule.layout == "tiles" and job.schedule.stretch:
        cut, spaces = parts.cut_kernel(job)
        return [cut, *contraction.write(parts.cut_job(job))], spaces
    if job.schedule.layout == "tiles":
        return contraction.write(job), []
    if job.schedule.layout == "window":
        return window.write(job), []
    if job.schedule.layout == "flat":
        return pointwise.write(job), []
    if job.schedule.splits > 1:
        return split.write(job)
    return rowwise.write(job), []
