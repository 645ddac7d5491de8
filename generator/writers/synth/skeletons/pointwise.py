"""Pointwise skeleton: a flat grid, every element read and written once."""

from __future__ import annotations

from ..emit.kernel import Kernel
from .frame import frame
from .job import Job


def write(job: Job) -> list[Kernel]:
    f = frame(job)
    for store in job.loops.region.stores:
        for at in f.values.instances(store):
            f.values.store(store, at)
    return [f.kernel]
