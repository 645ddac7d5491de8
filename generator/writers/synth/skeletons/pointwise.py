"""Pointwise skeleton: a flat grid, every element read and written once."""

from __future__ import annotations

from collections.abc import Mapping

from ..emit.kernel import Kernel
from ..loops import Loops
from ..schedule import Schedule
from .frame import frame


def write(name: str, doc: str, loops: Loops, schedule: Schedule, tensors: Mapping[str, str], hints: Mapping[str, str]) -> list[Kernel]:
    f = frame(name, doc, loops, schedule, tensors, hints)
    for store in loops.region.stores:
        for at in f.values.instances(store):
            f.values.store(store, at)
    return [f.kernel]
