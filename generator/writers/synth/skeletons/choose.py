"""Which skeleton writes a schedule."""

from __future__ import annotations

from collections.abc import Mapping

from ..emit.kernel import Kernel
from ..loops import Loops
from ..schedule import Schedule
from . import pointwise, rowwise, split


def write_kernels(
    name: str, doc: str, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]
) -> tuple[list[Kernel], list[tuple[str, str]]]:
    """Kernels of a region in launch order, and the workspaces (name, dtype) between them."""
    if schedule.layout == "flat":
        return pointwise.write(name, doc, loops, schedule, tensors, hints), []
    if schedule.splits > 1:
        return split.write(name, doc, loops, schedule, tensors, hints)
    return rowwise.write(name, doc, loops, schedule, tensors, hints), []
